/** A field of a Thrift struct in the compact protocol: its number, its type, and its value. */
type ThriftField = [id: number, type: 5 | 6 | 8 | 9 | 12, value: number | string | Buffer]

/**
 * A Parquet file with one row and one column of numbers, whose only page has a run of levels that declares this many
 * values.
 */
export function parquetWithRun(declaredValues: number): Buffer {
  const levels = Buffer.concat([varint(2 * declaredValues), Buffer.of(1)])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(levels.length)
  const body = Buffer.concat([length, levels, Buffer.alloc(4)])
  const pageHeader = struct([1, 5, 1], [2, 5, 0], [3, 5, 3], [4, 5, 3])
  const page = Buffer.concat([struct([1, 5, 0], [2, 5, body.length], [3, 5, body.length], [5, 12, pageHeader]), body])
  const column = struct(
    [1, 5, 1],
    [2, 9, list(5, varint(0))],
    [3, 9, list(8, text('lat'))],
    [4, 5, 0],
    [5, 6, 1],
    [6, 6, page.length],
    [7, 6, page.length],
    [9, 6, 4],
  )
  const group = struct([1, 9, list(12, struct([2, 6, 4], [3, 12, column]))], [2, 6, page.length], [3, 6, 1])
  const schema = [struct([4, 8, 'root'], [5, 5, 1]), struct([1, 5, 1], [3, 5, 1], [4, 8, 'lat'])]
  const footer = struct([1, 5, 1], [2, 9, list(12, ...schema)], [3, 6, 1], [4, 9, list(12, group)])
  const footerLength = Buffer.alloc(4)
  footerLength.writeUInt32LE(footer.length)
  return Buffer.concat([Buffer.from('PAR1'), page, footer, footerLength, Buffer.from('PAR1')])
}

function struct(...fields: ThriftField[]): Buffer {
  const parts = fields.flatMap(([id, type, value], i) => [
    Buffer.of(((id - (fields[i - 1]?.[0] ?? 0)) << 4) | type),
    typeof value === 'number' ? varint(2 * value) : typeof value === 'string' ? text(value) : value,
  ])
  return Buffer.concat([...parts, Buffer.of(0)])
}

function list(type: number, ...items: Buffer[]): Buffer {
  return Buffer.concat([Buffer.of((items.length << 4) | type), ...items])
}

function text(value: string): Buffer {
  return Buffer.concat([varint(value.length), Buffer.from(value)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + (rest > 127 ? 128 : 0))
    if (rest < 128) return Buffer.from(bytes)
  }
}
