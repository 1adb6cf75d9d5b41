import { expect, test } from 'bun:test'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noDeadline } from '../../src/async/deadline.ts'
import { openFileReader } from '../../src/raster/file-reader.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

const size_bytes = 100_000
const [path, other] = ['a', 'b'].map((letter) => {
  const file = join(folder, letter)
  writeFileSync(file, letter.repeat(size_bytes))
  return file
}) as [string, string]

test('A read that has begun when its file is closed never returns the bytes of another file', async () => {
  const found = new Set<string>()
  for (let round = 0; round < 50; round++) {
    const reader = await openFileReader(path)
    const reads = Array.from({ length: 20 }, () => reader.read(0, size_bytes, noDeadline))
    reader.close()
    // The system gives a new file the lowest number that is free.
    const descriptor = openSync(other, 'r')
    for (const bytes of await Promise.all(reads)) found.add(new TextDecoder().decode(bytes.subarray(0, 1)))
    closeSync(descriptor)
  }
  expect([...found]).toEqual(['a'])
})

test('After the last read of a closed file, its descriptor is free again', async () => {
  const reader = await openFileReader(path)
  const next = openSync(other, 'r')
  closeSync(next)
  const read = reader.read(0, size_bytes, noDeadline)
  reader.close()
  reader.close()
  await read
  const descriptor = openSync(other, 'r')
  closeSync(descriptor)
  expect(descriptor).toBeLessThan(next)
  expect(reader.read(0, 1, noDeadline)).rejects.toThrow('is closed')
})
