import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOverlayFolder } from '../../src/catalog/overlay-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const parent = temporaryFolder()
const folder = join(parent, 'catalog.d')
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
})

test('a missing folder has no files, and its creation is noticed', () => {
  rmSync(folder, { recursive: true })
  const overlays = createOverlayFolder(folder)
  expect([overlays.hasChanged(), overlays.readFiles()]).toEqual([false, []])
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.json'), '{}')
  expect(overlays.hasChanged()).toBe(true)
  expect(overlays.hasChanged()).toBe(false)
  expect(overlays.readFiles()).toEqual([{ file: 'a.json', text: '{}' }])
})

test('a file that is too large or a folder is reported; a broken link and a hidden file are ignored', () => {
  writeFileSync(join(folder, 'a.json'), '')
  truncateSync(join(folder, 'a.json'), 2 * 2 ** 20 + 1)
  mkdirSync(join(folder, 'b.json'))
  symlinkSync(join(folder, 'nowhere'), join(folder, 'c.json'))
  writeFileSync(join(folder, '.d.json'), '{}')
  expect(createOverlayFolder(folder).readFiles()).toEqual([
    { file: 'a.json', error: 'The file has 2097153 bytes; the limit is 2097152. Split it.' },
    { file: 'b.json', error: 'The file is not a regular file. Put a file here.' },
  ])
})

test('files beyond the first hundred are reported and not read', () => {
  for (let i = 0; i < 102; i++) writeFileSync(join(folder, `${1000 + i}.json`), '{}')
  const files = createOverlayFolder(folder).readFiles()
  expect([files.length, files.slice(-2)]).toEqual([
    102,
    ['1100.json', '1101.json'].map((file) => ({
      file,
      error: 'The folder has more than 100 files; this one is ignored. Merge or remove files.',
    })),
  ])
})
