import { readFileSync, statSync } from 'node:fs'
import { afterAll, expect, test } from 'bun:test'
import { ByteWriter, parquetWriteBuffer, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import { openParquet } from '../../src/files/parquet/parquet.ts'
import { workFolder } from '../build-packs/build-test-pack.ts'

const { file, remove } = workFolder()
afterAll(remove)

/** The bytes that this process has read from files. */
const readBytes = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))![1])

test('a group of 100,000 rows is decoded a few times, and its rows are in order', async () => {
  const count = 100_000
  const ids = Array.from({ length: count }, (_, i) => i)
  const columnData = [
    { name: 'id', data: ids, type: 'INT32' as const },
    { name: 'lat', data: ids.map((i) => 25 + ((i * 0.618) % 24)), type: 'DOUBLE' as const },
  ]
  const path = file('points.parquet', Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: count })))
  const input = await openParquet(path, 'points.parquet')
  try {
    const before = readBytes()
    let expected = 0
    let different = 0
    for await (const { features } of input.batches())
      for (const { properties } of features) if (properties.id !== expected++) different++
    expect([expected, different]).toEqual([count, 0])
    expect(readBytes() - before).toBeLessThan(8 * statSync(path).size)
  } finally {
    input.close()
  }
})

test('a group without rows is passed over', async () => {
  const columnOf = (data: number[]) => [{ name: 'id', data, type: 'INT32' as const }]
  const writer = new ByteWriter()
  const parquet = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData: columnOf([]) }) })
  for (const data of [[1, 2], [3]]) void parquet.write({ columnData: columnOf(data) })
  parquet.row_groups.splice(1, 0, { columns: [], total_byte_size: 0n, num_rows: 0n })
  void parquet.finish()
  const input = await openParquet(file('gap.parquet', Buffer.from(writer.getBytes())), 'gap.parquet')
  try {
    const ids: unknown[] = []
    for await (const { features } of input.batches()) ids.push(...features.map(({ properties }) => properties.id))
    expect(ids).toEqual([1, 2, 3])
  } finally {
    input.close()
  }
})
