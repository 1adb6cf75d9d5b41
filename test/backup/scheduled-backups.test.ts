import { describe, expect, test } from 'bun:test'
import { closeSync, existsSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import {
  backupFileName,
  newestBackupTime,
  surplusBackups,
  isBackupFolderWritable,
} from '../../src/backup/scheduled-backups.ts'
import { readTarEntries, tarPaddingOf, tarHeaderOf } from '../../src/backup/tar.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

describe('a backup folder', () => {
  const names = [
    '2026-11-19T03:00:00Z',
    '2026-11-20T03:00:00Z',
    '2025-12-31T23:59:59.999Z',
    '2026-11-21T03:00:00Z',
  ].map((time) => backupFileName(new Date(time)))

  test('has surplus backups: all but the newest ones', () => {
    expect(surplusBackups(names, 2)).toEqual(['fieldstone-20251231T235959Z.tar', 'fieldstone-20261119T030000Z.tar'])
    expect(surplusBackups(names, 4)).toEqual([])
  })

  test('never has surplus files that are not named like a backup', () => {
    expect(
      surplusBackups(
        ['state.db', 'fieldstone.tar', 'fieldstone-old.tar', 'fieldstone-20250101T000000Z.tar.gz', ...names],
        1,
      ),
    ).toEqual(surplusBackups(names, 1))
  })

  test('that does not exist has no newest backup', () => expect(newestBackupTime(join(folder, 'nowhere'))).toBeNull())

  test('that does not exist counts as writable if it could be created, and is not created; a file does not count as a folder', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(isBackupFolderWritable(join(folder, 'nowhere', 'deep'))).toBe(true)
    expect(isBackupFolderWritable(join(folder, 'file'))).toBe(false)
    expect(isBackupFolderWritable(join(folder, 'file', 'deep'))).toBe(false)
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })
})

test('an archive can contain a file of ten gigabytes, which tar reads', () => {
  const file = join(folder, 'large.tar')
  const bytes = 10 * 1024 ** 3 + 5
  const handle = openSync(file, 'w+')
  writeSync(handle, tarHeaderOf('large', bytes, new Date(0)), 0, 512, 0)
  ftruncateSync(handle, 512 + bytes + tarPaddingOf(bytes).length + 1024)
  expect(readTarEntries(handle, { what: 'backup', entriesMax: 1000 })).toEqual([{ name: 'large', bytes, offset: 512 }])
  closeSync(handle)
  expect(Bun.spawnSync(['tar', 'tvf', file]).stdout.toString()).toContain(String(bytes))
})

test('an archive with a header without a size is rejected', () => {
  const header = Buffer.from(tarHeaderOf('x', 0, new Date(0)))
  header.fill('?', 124, 135)
  header.fill(' ', 148, 156)
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
    'latin1',
  )
  const file = join(folder, 'sizeless.tar')
  writeFileSync(file, Buffer.concat([header, new Uint8Array(1024)]))
  const handle = openSync(file, 'r')
  expect(() => readTarEntries(handle, { what: 'backup', entriesMax: 1000 })).toThrow('x is not complete')
  closeSync(handle)
})
