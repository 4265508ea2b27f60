package library

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// Newer releases of cel-go changed some functions of the language. This file keeps
// them as API servers have them, so that an expression means and costs the same
// whichever release a program links. (Since v0.30, comparing with NaN is false in
// cel-go and no error. Package internal/eval keeps the error.)

// maxNodes is the greatest number of nodes of an expression in cel-go v0.30 and
// newer, whose default is 100,000. An expression of the permitted length can have
// more than that, but only macros can multiply its nodes to this number.
const maxNodes = 1_000_000

// languageOptions declare functions of the standard library as cel-go v0.29 does.
func languageOptions() []cel.EnvOption {
	options := []cel.EnvOption{
		// A release without the limit ignores its name.
		cel.FromConfig(env.NewConfig("").AddLimits(env.NewLimit("cel.limit.expression_node_count", maxNodes))),
		// v0.30 accepts fewer texts, and rejects the others with another message.
		cel.Function(overloads.TypeConvertTimestamp, cel.Overload(overloads.StringToTimestamp,
			args(cel.StringType), cel.TimestampType, Unary(parseTimestamp).binding)),
	}
	// v0.31 accepts fewer zones.
	for _, part := range []struct {
		function, overload string
		of                 func(time.Time) int
	}{
		{overloads.TimeGetFullYear, overloads.TimestampToYearWithTz, time.Time.Year},
		{overloads.TimeGetMonth, overloads.TimestampToMonthWithTz, func(t time.Time) int { return int(t.Month()) - 1 }},
		{overloads.TimeGetDayOfYear, overloads.TimestampToDayOfYearWithTz, func(t time.Time) int { return t.YearDay() - 1 }},
		{overloads.TimeGetDayOfMonth, overloads.TimestampToDayOfMonthZeroBasedWithTz, func(t time.Time) int { return t.Day() - 1 }},
		{overloads.TimeGetDate, overloads.TimestampToDayOfMonthOneBasedWithTz, time.Time.Day},
		{overloads.TimeGetDayOfWeek, overloads.TimestampToDayOfWeekWithTz, func(t time.Time) int { return int(t.Weekday()) }},
		{overloads.TimeGetHours, overloads.TimestampToHoursWithTz, time.Time.Hour},
		{overloads.TimeGetMinutes, overloads.TimestampToMinutesWithTz, time.Time.Minute},
		{overloads.TimeGetSeconds, overloads.TimestampToSecondsWithTz, time.Time.Second},
		{overloads.TimeGetMilliseconds, overloads.TimestampToMillisecondsWithTz, func(t time.Time) int { return t.Nanosecond() / int(time.Millisecond) }},
	} {
		get := Binary(func(t types.Timestamp, zone types.String) (types.Int, error) {
			location, err := parseZone(string(zone))
			if err != nil {
				return 0, err
			}
			return types.Int(part.of(t.In(location))), nil
		})
		options = append(options, cel.Function(part.function, cel.MemberOverload(part.overload,
			args(cel.TimestampType, cel.StringType), cel.IntType, get.binding)))
	}
	return options
}

// The range of timestamps, the years 1 to 9999, in seconds since 1970.
const (
	minTimestamp = -62135596800
	maxTimestamp = 253402300799
)

// parseTimestamp accepts what package time accepts as RFC 3339, which is more than
// the RFC allows.
func parseTimestamp(text types.String) (types.Timestamp, error) {
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return types.Timestamp{}, fmt.Errorf("type conversion error from '%s' to '%s'", types.StringType, types.TimestampType)
	}
	if t.Unix() < minTimestamp || t.Unix() > maxTimestamp {
		return types.Timestamp{}, errors.New("timestamp overflow")
	}
	return types.Timestamp{Time: t}, nil
}

// parseZone accepts the name of a time zone, or an offset of hours and minutes
// of any size.
func parseZone(zone string) (*time.Location, error) {
	hours, minutes, ok := strings.Cut(zone, ":")
	if !ok {
		return time.LoadLocation(zone)
	}
	h, err := strconv.Atoi(hours)
	if err != nil {
		return nil, err
	}
	m, err := strconv.Atoi(minutes)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(hours, "-") {
		m = -m
	}
	east := time.Duration(h*60+m) * time.Minute
	return time.FixedZone("", int(east.Seconds())), nil
}
