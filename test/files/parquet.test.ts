import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'bun:test'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { openParquet } from '../../src/files/parquet/parquet.ts'
import { workFolder } from '../build-packs/build-test-pack.ts'

const { file, remove } = workFolder()

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
    remove()
  }
})
