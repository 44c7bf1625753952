import FeedReading
import Testing

@Suite struct DateTests {
  @Test(arguments: [
    // RFC 822 and what people make of it
    ("Sat, 07 Sep 2002 09:42:31 GMT", "2002-09-07T09:42:31Z"),
    ("Sat, 07 Sep 02 09:42:31 GMT", "2002-09-07T09:42:31Z"),
    ("07 Sep 2002 09:42 +0200", "2002-09-07T07:42:00Z"),
    ("Sat, 7 September 2002 09:42:31 EST", "2002-09-07T14:42:31Z"),
    ("Sat,07 Sep 2002 09:42:31 -0000", "2002-09-07T09:42:31Z"),
    ("Sat, 07 Sep 2002 09:42:31 GMT+02:00", "2002-09-07T07:42:31Z"),
    ("Sat, 07 Sep 2002 09:42:31 +0200 (CEST)", "2002-09-07T07:42:31Z"),
    ("Sat, 07-Sep-2002 09:42:31 GMT", "2002-09-07T09:42:31Z"),
    ("Sat, 07 Sep, 2002 9:42 PM PDT", "2002-09-08T04:42:00Z"),
    ("Saturday, September 7, 2002 9:42 am", "2002-09-07T09:42:00Z"),
    ("Sep 7th, 2002", "2002-09-07T00:00:00Z"),
    ("Sat Sep  7 09:42:31 2002", "2002-09-07T09:42:31Z"),
    ("Sat Sep 07 09:42:31 CEST 2002", "2002-09-07T07:42:31Z"),
    ("Sat Sep 07 09:42:31 +0000 2002", "2002-09-07T09:42:31Z"),
    // RFC 3339 and ISO 8601
    ("2002-09-07T09:42:31Z", "2002-09-07T09:42:31Z"),
    ("2002-09-07T09:42:31.123456+02:00", "2002-09-07T07:42:31Z"),
    ("2002-09-07t09:42:31z", "2002-09-07T09:42:31Z"),
    ("2002-09-07 09:42:31 +0200", "2002-09-07T07:42:31Z"),
    ("2002-09-07 09:42:31 UTC", "2002-09-07T09:42:31Z"),
    ("2002-09-07T09:42+0530", "2002-09-07T04:12:00Z"),
    ("2002-09-07", "2002-09-07T00:00:00Z"),
    ("2002-09", "2002-09-01T00:00:00Z"),
    ("2002-250", "2002-09-07T00:00:00Z"),
    ("20020907T094231Z", "2002-09-07T09:42:31Z"),
    ("20020907094231", "2002-09-07T09:42:31Z"),
    // Numbers alone
    ("1031391751", "2002-09-07T09:42:31Z"),
    ("1031391751000", "2002-09-07T09:42:31Z"),
    ("9/7/2002", "2002-09-07T00:00:00Z"),
    ("9/17/2002 9:42 PM", "2002-09-17T21:42:00Z"),
    ("17.09.2002 09:42", "2002-09-17T09:42:00Z"),
    ("2002/09/07 09:42:31", "2002-09-07T09:42:31Z"),
    // Other languages
    ("sam., 07 sept. 2002 09:42:31 +0200", "2002-09-07T07:42:31Z"),
    ("mar., 06 nov. 2012 10:00:00 +0100", "2012-11-06T09:00:00Z"),
    ("mar 6 mars 2012 10:00", "2012-03-06T10:00:00Z"),
    ("Mar 6, 2012", "2012-03-06T00:00:00Z"),
    ("Sa, 07 März 2002 09:42:31 +0100", "2002-03-07T08:42:31Z"),
    ("7 de septiembre de 2002", "2002-09-07T00:00:00Z"),
    ("Сб, 07 сен 2002 09:42:31 +0400", "2002-09-07T05:42:31Z"),
    ("Σαβ, 07 Σεπ 2002 09:42:31 EET", "2002-09-07T07:42:31Z"),
    ("2002년 09월 07일 18:42:31", "2002-09-07T09:42:31Z"),
    ("2002年9月7日 09:42", "2002-09-07T09:42:00Z"),
    ("2002-09-07 오후 6:42:31", "2002-09-07T09:42:31Z"),
    // Leap seconds and days
    ("1998-12-31T23:59:60Z", "1998-12-31T23:59:59Z"),
    ("29 Feb 2004", "2004-02-29T00:00:00Z"),
    ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
  ])
  func aDateIsReadInTheFormItIsWrittenIn(text: String, expected: String) {
    #expect(FeedInstant(text)?.text == expected)
    #expect(FeedInstant("\n  \(text) ")?.text == expected)
  }

  @Test(arguments: [
    "", " ", "soon", "yesterday", "0000-00-00", "0000-00-00 00:00:00", "2002-13-01", "2002-02-30",
    "29 Feb 2003", "2002-09-07T25:00:00Z", "2002-09-07T09:61:00Z", "2002-09-07T09:42:61Z",
    "Sat, 99 Sep 2002 09:42:31 GMT", "Sat, 07 Zzz 2002 09:42:31 GMT", "1", "12:30", "-", ":::",
    "99999999999999999999999999", "2002-09-07T09:42:31+99:99", "Sat", "September",
  ])
  func whatIsNoDateIsAbsent(text: String) {
    #expect(FeedInstant(text) == nil)
  }

  /// Lesson 30: be lenient, field by field.
  @Test func aBadDateLosesNothingElse() throws {
    let item = try Feeds.item("<pubDate>tomorrow</pubDate><title>Still here</title>")
    #expect(item.published == nil)
    #expect(item.title?.text == "Still here")
  }

  @Test func everyDayOfFourHundredYearsIsWrittenAsItIsRead() {
    for day in stride(from: Int64(-10_000), to: 136_097, by: 7) {
      let instant = FeedInstant(secondsSince1970: day * 86_400 + 3_661)
      #expect(FeedInstant(instant.text) == instant)
    }
  }
}
