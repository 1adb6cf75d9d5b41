import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeStaleEmbedded } from '../../src/packs/embedded/embedded-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

test('files unpacked by an earlier version or an interrupted start are removed, and all others stay', () => {
  const kept = 'embedded-00000000000000aa.bin'
  const others = ['embedded-notes.gpkg', 'embedded-00000000000000aa.json', 'state.db']
  for (const name of [
    kept,
    ...others,
    'embedded-00000000000000bb.bin',
    'embedded-00000000000000cc.gpkg',
    `${kept}.4711`,
  ])
    writeFileSync(join(folder, name), '')
  removeStaleEmbedded(folder, new Uint8Array())
  removeStaleEmbedded(folder, join(tmpdir(), 'elsewhere', kept))
  expect(readdirSync(folder).length).toBe(7)
  removeStaleEmbedded(folder, join(folder, kept))
  expect(readdirSync(folder).toSorted()).toEqual([kept, ...others].toSorted())
})
