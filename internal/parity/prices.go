package parity

import "strings"

// priceCases are calls of every function that is priced by the size of its
// operands: constant, bounded and unbounded ones, computed ones, and others
// behind dyn. They are about the schema of prices.yaml.
func priceCases() []string {
	texts := []string{"'abc'", "'" + strings.Repeat("abcdefghij", 5) + "'", "self.short", "self.long", "self.choice", "self.few[0]", "dyn(self.long)", "dyn(self.any)", "string(self.i)"}
	lists := []string{"['a', 'b']", "self.few", "self.many", "dyn(self.many)", "self.ints", "dyn(self.any)"}
	maps := []string{"{'a': 'b'}", "self.map", "self.wide", "dyn(self.wide)"}
	bytes := []string{"b'abc'", "self.bytes", "self.data", "bytes(self.short)", "self.bytes + self.data", "dyn(self.data)"}

	ofText := []string{"size(%)", "%.size()", "string(%)", "bytes(%)", "int(%)", "double(%)", "bool(%)", "duration(%)", "timestamp(%)", "type(%)",
		"%.lowerAscii()", "%.upperAscii()", "%.trim()", "strings.quote(%)", "%.charAt(1)", "%.substring(1)", "%.substring(1, 2)", "%.split(',')", "%.split(',', 2)",
		"%.find('a+')", "%.findAll('a+')", "%.findAll('a+', 2)", "'%s'.format([%])", "ip(%)", "isIP(%)", "ip.isCanonical(%)", "cidr(%)", "isCIDR(%)", "quantity(%)", "isQuantity(%)",
		"url(%)", "isURL(%)", "url(%).getHost()", "semver(%)", "isSemver(%)", "semver(%, true)", "format.dns1123Label().validate(%)", "format.uri().validate(%)", "format.named(%)",
		"cidr('10.0.0.0/8').containsIP(%)", "cidr('10.0.0.0/8').containsCIDR(%)", "[%]", "{%: 1}", "[1].map(x, %)", "%.matches('^a+$')", "matches(%, '^a+$')", "'a'.matches(%)", "matches('a', %)"}
	ofTexts := []string{"% == &", "% != &", "% < &", "% >= &", "% + &", "% in [&]", "%.contains(&)", "%.startsWith(&)", "%.endsWith(&)", "%.matches(&)", "matches(%, &)",
		"%.indexOf(&)", "%.indexOf(&, 1)", "%.lastIndexOf(&)", "%.split(&)", "%.replace(&, 'x')", "%.replace('x', &)", "%.replace('x', &, 1)", "%.find(&)", "%.findAll(&)", "[%].join(&)", "% in self.many", "true ? % : &"}
	ofList := []string{"size(%)", "%.size()", "%.isSorted()", "%.sum()", "%.min()", "%.max()", "%.join()", "%.join(self.short)", "%[0]", "%[?0]", "%.indexOf('a')", "%.lastIndexOf('a')", "%.includes('a')",
		"%.reverse()", "%.distinct()", "%.sort()", "%.flatten()", "%.slice(0, 1)", "%.first()", "%.last()", "%.sortBy(x, x)", "%.all(x, true)", "%.exists(x, x == 'a')", "%.exists_one(x, true)", "%.map(x, x)", "%.filter(x, true)",
		"%.map(x, true, x)", "%.all(i, x, true)", "%.transformList(i, x, x)", "%.transformMap(i, x, x)", "'a' in %", "self.short in %", "self.long in %", "dyn(self.long) in %", "type(%)", "dyn(%).size()", "[%, %]", "'%s'.format([%])", "lists.range(size(%))", "%.all(x, x.matches('^a+$'))", "%.all(x, matches(x, '^a+$'))", "%.map(x, x.size())", "%.all(x, x.startsWith('a'))"}
	ofLists := []string{"% == &", "% != &", "% + &", "% in [&]", "sets.contains(%, &)", "sets.intersects(%, &)", "sets.equivalent(%, &)", "%.all(x, x in &)", "%.all(x, &.exists(y, y == x))", "(% + &).all(x, x != '')", "(% + &).size()", "size(% + &)"}
	ofMap := []string{"size(%)", "%.size()", "%['a']", "%[?'a']", "%.a", "has(%.a)", "%.?a.orValue(self.long)", "'a' in %", "self.short in %", "self.long in %", "% == %", "% == {'a': 'b'}", "%.all(k, true)", "%.exists(k, k == 'a')", "%.map(k, k)", "%.map(k, %[k])", "%.filter(k, true)",
		"%.all(k, v, v == '')", "%.transformMap(k, v, v)", "%.transformList(k, v, v)", "%.all(k, k.matches('^a+$'))", "%.all(k, %[k].matches('^a+$'))", "%.map(k, k.size())", "%.all(k, matches(k, '^a+$'))", "%.all(k, k.startsWith('a'))", "%.transformMapEntry(k, v, {v: k})"}
	ofBytes := []string{"size(%)", "%.size()", "string(%)", "% == %", "% < self.data", "% + %", "(% + %).size()", "type(%)", "base64.encode(%)", "% in [%]"}

	madeText := []string{"(self.short + self.short)", "(self.long + self.short)", "('abc' + self.short)", "self.short.replace('a', 'bb')", "self.long.replace('a', self.long)", "self.short.lowerAscii()", "self.long.upperAscii()", "self.short.trim()", "self.long.substring(1)", "self.short.charAt(0)",
		"string(self.n)", "string(self.dt)", "string(self.bytes)", "(self.n > 1 ? self.short : self.long)", "url(self.long).getHost()", "self.short.split(',')[0]", "self.few.join(',')", "self.many.join()", "self.map['a']", "self.wide.a", "self.obj.?b.orValue('x')", "'%s'.format([self.short])", "self.short.find('a')", "self.long.findAll('a')[0]", "strings.quote(self.short)"}
	madeList := []string{"(self.few + self.few)", "(self.many + self.few)", "(self.few + ['a'])", "self.few.map(x, x)", "self.many.map(x, x + x)", "self.few.filter(x, x != '')", "self.short.split(',')", "self.long.findAll('a')", "self.map.map(k, k)", "self.wide.map(k, self.wide[k])", "self.few.reverse()", "self.many.distinct()", "self.few.slice(0, 1)", "[self.few, self.many].flatten()", "(self.n > 1 ? self.few : self.many)", "[self.short, self.long]"}

	sized := []string{"size(%)", "%.size()", "%.lowerAscii()", "%.split(',')", "'%s'.format([%])", "ip(%)", "quantity(%)", "url(%)", "semver(%)", "format.uri().validate(%)", "%.matches('^a+$')", "matches(%, '^a+$')", "%.find('a+')", "[1].map(x, %)"}
	var all []string
	all = append(all, fill(ofText, texts, nil)...)
	all = append(all, fill(ofTexts, texts[:4], texts)...)
	all = append(all, fill(ofTexts, texts[4:], texts[2:4])...)
	all = append(all, fill(sized, madeText, nil)...)
	all = append(all, fill(ofTexts, madeText, []string{"self.short"})...)
	all = append(all, fill(ofTexts, []string{"self.long"}, madeText)...)
	all = append(all, fill(ofList, append(lists, madeList...), nil)...)
	all = append(all, fill(ofLists, lists, lists)...)
	all = append(all, fill(ofLists, madeList, []string{"self.few"})...)
	all = append(all, fill(ofMap, maps, nil)...)
	return append(all, fill(ofBytes, bytes, nil)...)
}

// fill puts first for each % and second for each & of the forms. The % of a
// format stands before an s.
func fill(forms, first, second []string) []string {
	if len(second) == 0 {
		second = []string{""}
	}
	var all []string
	for _, f := range forms {
		for _, a := range first {
			for _, b := range second {
				all = append(all, strings.NewReplacer("%s", "%s", "%", a, "&", b).Replace(f))
			}
		}
	}
	return all
}
