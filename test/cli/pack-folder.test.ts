import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makePackFolder } from '../../src/cli/pack/pack-install.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('other users can read a new pack folder, but not the new data folder above it', () => {
  const before = process.umask(0o077)
  makePackFolder(join(folder, 'data', 'packs'))
  process.umask(before)
  expect([modeOf(join(folder, 'data')), modeOf(join(folder, 'data', 'packs'))]).toEqual(['700', '755'])
})

test('an existing folder keeps its mode', () => {
  const own = join(folder, 'own')
  mkdirSync(own)
  chmodSync(own, 0o750)
  makePackFolder(own)
  expect(modeOf(own)).toBe('750')
})
