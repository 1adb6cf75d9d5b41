import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOverlayFolder } from '../../src/catalog/overlay-folder.ts'
import { newFolder } from '../cli/fieldstone.ts'

const { folder: parent, remove } = newFolder()
const folder = join(parent, 'catalog.d')
afterAll(remove)
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
})

test('a folder that is not there adds nothing, and one that comes is noticed', () => {
  rmSync(folder, { recursive: true })
  const overlays = createOverlayFolder(folder)
  expect([overlays.hasChanged(), overlays.readFiles()]).toEqual([false, []])
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.json'), '{}')
  expect([overlays.hasChanged(), overlays.hasChanged(), overlays.readFiles()]).toEqual([
    true,
    false,
    [{ file: 'a.json', text: '{}' }],
  ])
})

test('a file that is too large, and one that is a folder, are told by their reasons; one that leads nowhere is not there', () => {
  writeFileSync(join(folder, 'a.json'), '')
  truncateSync(join(folder, 'a.json'), 4 * 2 ** 20 + 1)
  mkdirSync(join(folder, 'b.json'))
  symlinkSync(join(folder, 'nowhere'), join(folder, 'c.json'))
  writeFileSync(join(folder, '.d.json'), '{}')
  expect(createOverlayFolder(folder).readFiles()).toEqual([
    { file: 'a.json', error: 'It has 4194305 bytes, and no more than 4194304 are read.' },
    { file: 'b.json', error: expect.stringContaining('It cannot be read: EISDIR') },
  ])
})

test('of more than a hundred files the rest is named, and not read', () => {
  for (let i = 0; i < 102; i++) writeFileSync(join(folder, `${1000 + i}.json`), '{}')
  const files = createOverlayFolder(folder).readFiles()
  expect([files.length, files.slice(-2)]).toEqual([
    102,
    ['1100.json', '1101.json'].map((file) => ({ file, error: 'More than 100 files are not read.' })),
  ])
})
