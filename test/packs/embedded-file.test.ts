import { afterAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { resolveEmbeddedFile, unpackOnce } from '../../src/packs/embedded-file.ts'

const root = mkdtempSync(join(tmpdir(), 'fieldstone-unpacked-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
const newFolder = () => join(root, String(++folders))

const data = new TextEncoder().encode('SQLite format 3 '.repeat(10_000))
const compressed = Bun.zstdCompressSync(data)
const sumOf = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
const unpacked = (folder: string) => unpackOnce(() => compressed, sumOf(data), folder)

test('from source, the embedded data is the file in dist, and nothing is unpacked', () => {
  const folder = newFolder()
  expect(resolveEmbeddedFile('/the/code', folder, null)).toBe(join('/the/code', 'dist', 'embedded.gpkg'))
  expect(existsSync(folder)).toBe(false)
})

describe('unpacking', () => {
  test('writes the complete data to a file and creates the folder', () => {
    const folder = join(newFolder(), 'data')
    const file = unpacked(folder) as string
    expect(readFileSync(file)).toEqual(Buffer.from(data))
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([file])
  })

  test('restricts folder and file to the owner', () => {
    const folder = newFolder()
    const file = unpacked(folder) as string
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
  })

  test('happens once: the same data use the same file, which is not written again', () => {
    const folder = newFolder()
    const first = unpacked(folder) as string
    const before = statSync(first, { bigint: true })
    expect(
      unpackOnce(
        () => {
          throw new Error('not read again')
        },
        sumOf(data),
        folder,
      ),
    ).toBe(first)
    const after = statSync(first, { bigint: true })
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs])
  })

  test('writes other data to another file', () => {
    const folder = newFolder()
    const files = [data, new Uint8Array(10)].map(
      (it) => unpackOnce(() => Bun.zstdCompressSync(it), sumOf(it), folder) as string,
    )
    expect(files.map((file) => statSync(file).size)).toEqual([data.length, 10])
    expect(readdirSync(folder)).toHaveLength(2)
  })

  test('ignores the unfinished file of another process', () => {
    const folder = newFolder()
    mkdirSync(folder)
    const name = basename(unpacked(newFolder()) as string)
    writeFileSync(join(folder, `${name}.99999`), 'half a fi')
    expect(readFileSync(unpacked(folder) as string)).toEqual(Buffer.from(data))
  })

  test('returns the bytes if the folder cannot be created', () => {
    const file = newFolder()
    writeFileSync(file, 'in the way')
    expect(unpacked(join(file, 'data'))).toEqual(Buffer.from(data))
  })

  test('returns the bytes if the disk is full, and leaves nothing behind', () => {
    const folder = newFolder()
    mkdirSync(folder)
    const name = basename(unpacked(newFolder()) as string)
    symlinkSync('/dev/full', join(folder, `${name}.${process.pid}`))
    expect(unpacked(folder)).toEqual(Buffer.from(data))
    expect(readdirSync(folder)).toEqual([])
  })

  test('rejects corrupt data', () => {
    expect(() => unpackOnce(() => compressed.slice(0, -10), sumOf(data), newFolder())).toThrow()
    expect(() => unpackOnce(() => new TextEncoder().encode('no zstd at all'), sumOf(data), newFolder())).toThrow()
  })
})
