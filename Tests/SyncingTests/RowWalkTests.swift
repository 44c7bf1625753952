import Syncing
import Testing

/// A table's rows by number, and the pages they lie in, some of which cannot be read.
private struct Pages {
  /// The numbers of each page's rows, in order.
  let pages: [ClosedRange<Int64>]
  let damaged: Set<Int>
  private(set) var looks = 0

  init(_ pages: [ClosedRange<Int64>], damaged: Set<Int>) {
    self.pages = pages
    self.damaged = damaged
  }

  /// As SQLite does: it goes down to the page where the number belongs, and on to the next.
  mutating func row(from number: Int64) throws(Damage) -> Int64? {
    looks += 1
    let index = pages.firstIndex { number <= $0.upperBound } ?? pages.count - 1
    guard !damaged.contains(index) else { throw Damage() }
    return number > pages[index].upperBound ? nil : max(number, pages[index].lowerBound)
  }

  struct Damage: Error {}

  mutating func walk() -> (rows: Set<Int64>, stretches: Int) {
    var walk = RowWalk()
    var rows: Set<Int64> = []
    var stretches = 0
    while let number = walk.next {
      do {
        let row = try row(from: number)
        if walk.find(row), let row { rows.insert(row) }
      } catch {
        walk.miss()
        if walk.isNewDamage { stretches += 1 }
      }
    }
    return (rows, stretches)
  }

  var readable: Set<Int64> {
    Set(pages.indices.filter { !damaged.contains($0) }.flatMap { pages[$0] })
  }
}

@Suite("A walk over a table's rows") struct RowWalkTests {
  @Test(
    "finds every row that can be read, however the pages lie",
    arguments: [
      ([1...50], []), ([1...50, 51...90, 91...120], [1]), ([1...50, 51...90], [0]),
      ([1...50, 51...90], [1]), ([1...50, 51...90, 91...92, 93...200], [0, 2]),
      ([30_000...30_100, 30_101...30_150], [0]),
      ([5_000_000_000...5_000_000_100, 5_000_000_101...5_000_000_150], [0]),
      ([7...9, 1_000_000...1_000_300, 2_000_000...2_000_010], [1]),
      ([1...9, .max - 20 ... .max - 10, .max - 9 ... .max], [1]),
    ] as [([ClosedRange<Int64>], Set<Int>)])
  func all(_ ranges: [ClosedRange<Int64>], damaged: Set<Int>) {
    var pages = Pages(ranges, damaged: damaged)
    let (rows, stretches) = pages.walk()
    #expect(rows == pages.readable)
    #expect(stretches == damaged.count)
    #expect(pages.looks < 100_000)
  }

  @Test("ends where nothing at all can be read")
  func nothing() {
    var pages = Pages([1...100], damaged: [0])
    #expect(pages.walk().rows.isEmpty)
    #expect(pages.looks < 100_000)
  }

  @Test("ends where nothing can be read any more, wherever its search stands", arguments: 1...30)
  func failing(finds: Int) {
    var walk = RowWalk()
    var looks = 0
    // A long stretch that cannot be read, then some rows, then a disk that fails for good.
    var found = 0
    while let number = walk.next, looks < 200_000 {
      looks += 1
      if number < 20_000 || found >= finds {
        walk.miss()
      } else {
        found += 1
        _ = walk.find(max(number, 20_000))
      }
    }
    #expect(looks < 100_000)
  }

  @Test("counts a page that tells of rows that were before as damage, once")
  func strange() {
    var walk = RowWalk()
    let looks = [1, 1, 1, 4].map { row in (walk.find(row), walk.isNewDamage) }
    #expect(looks.map(\.0) == [true, false, false, true])
    #expect(looks.map(\.1) == [false, true, false, false])
  }

  @Test("ends where a page tells of rows that were before")
  func backwards() {
    var walk = RowWalk()
    var looks = 0
    while walk.next != nil, looks < 200_000 {
      looks += 1
      _ = walk.find(looks.isMultiple(of: 2) ? 5 : 3)
    }
    #expect(looks < 100_000)
  }
}
