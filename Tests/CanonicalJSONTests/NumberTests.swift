import CanonicalJSON
import TestSupport
import Testing

@Suite struct NumberTests {
  @Test(arguments: [
    ("0", JSON.integer(0)), ("-0", .integer(0)), ("-1", .integer(-1)), ("10", .integer(10)),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .unsigned(1 << 63)), ("18446744073709551615", .unsigned(.max)),
  ])
  func digitsAloneAreAnInteger(text: String, value: JSON) throws {
    #expect(try parse(text) == value)
  }

  @Test(arguments: [
    ("1.0", "1.0"), ("1e0", "1.0"), ("1E+2", "100.0"), ("-0.0", "-0.0"), ("-0e0", "-0.0"),
    ("0.0", "0.0"), ("0e99999", "0.0"), ("1e16", "1e+16"), ("1e15", "1000000000000000.0"),
    ("1e20", "1e+20"), ("100000000000000000000.0", "1e+20"), ("0.00001", "1e-05"),
    ("0.0001", "0.0001"), ("5e-324", "5e-324"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ("0.1", "0.1"), ("0.30000000000000004", "0.30000000000000004"), ("123.456E-1", "12.3456"),
    ("9007199254740993.0", "9007199254740992.0"), ("9007199254740994.0", "9.007199254740994e+15"),
    ("1.5e+00003", "1500.0"),
    ("0.1000000000000000055511151231257827021181583404541015625", "0.1"),
    ("2.2250738585072011e-308", "2.225073858507201e-308"),
    ("18446744073709551616.0", "1.8446744073709552e+19"),
    ("1e-400", "0.0"), ("-1e-400", "-0.0"),
  ])
  func aFractionOrAnExponentMakesADouble(text: String, canonical: String) throws {
    let value = try parse(text)
    guard case .double = value else {
      Issue.record("\(text) became \(value)")
      return
    }
    #expect(value.canonical == canonical)
    #expect(try parse(canonical) == value)
  }

  @Test func oneAndOnePointZeroDiffer() throws {
    #expect(try parse("1") != parse("1.0"))
    #expect(Set([try parse("1"), try parse("1.0"), try parse("1e0")]).count == 2)
  }

  @Test func theZerosDiffer() throws {
    #expect(try parse("0.0") != parse("-0.0"))
    #expect(try parse("0") != parse("0.0"))
    #expect(Set([try parse("0"), try parse("-0"), try parse("0.0"), try parse("-0.0")]).count == 3)
  }

  @Test func anUnsignedIntegerTakesTheCaseThatHoldsIt() {
    #expect(JSON(UInt64(5)) == .integer(5))
    #expect(JSON(UInt64(Int64.max)) == .integer(.max))
    #expect(JSON(UInt64(Int64.max) + 1) == .unsigned(1 << 63))
  }

  @Test func aDoubleThatIsNotFiniteIsNoJSON() {
    #expect(JSON(finite: .infinity) == nil)
    #expect(JSON(finite: -.infinity) == nil)
    #expect(JSON(finite: .nan) == nil)
    #expect(JSON(finite: 0.5) == .double(0.5))
  }

  @Test func everyDoubleReadsBackWithItsBits() throws {
    var generator = SeededGenerator.announced(for: "everyDoubleReadsBackWithItsBits")
    for _ in 0..<20_000 {
      let value = generator.finiteDouble()
      let text = JSON.double(value).canonical
      #expect(text.contains { $0 == "." || $0 == "e" }, "\(value.bitPattern)")
      #expect(try parse(text) == .double(value), "\(value.bitPattern)")
    }
  }
}
