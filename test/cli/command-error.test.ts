import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { commandFailureOf } from '../../src/cli/command-error.ts'
import { listenErrorOf } from '../../src/cli/server/listener.ts'
import { configOf } from '../../src/config.ts'
import { lockFolder } from '../../src/store/sqlite/folder-lock.ts'
import { StorageError } from '../../src/store/storage-error.ts'
import { newFolder } from './fieldstone.ts'

test('An error without a stack, such as that of an expired deadline, is printed with its name and message', () => {
  const error = Object.assign(new DOMException('The operation timed out.', 'TimeoutError'), { stack: '' })
  expect(commandFailureOf(error)).toMatchObject({ exitCode: 70, text: 'TimeoutError: The operation timed out.' })
  const cause = new Error('The plan failed.', { cause: error })
  expect(commandFailureOf(cause).text).toEndWith('\nCaused by: TimeoutError: The operation timed out.')
})

test('A command that fails because the storage fails for now ends with 75, also a server while it starts', () => {
  for (const reason of ['unavailable', 'busy', 'full', 'read_only'] as const)
    expect(commandFailureOf(new StorageError(reason)).exitCode).toBe(75)
  expect(commandFailureOf(new StorageError('damaged')).exitCode).toBe(70)
})

test('A command that may open too few files says how to raise the limit', () => {
  const error = Object.assign(new Error("EMFILE: too many open files, open 'sites.csv'"), { code: 'EMFILE' })
  const { exitCode, text } = commandFailureOf(error)
  expect([exitCode, text]).toEqual([1, expect.stringContaining('`ulimit -n 4096`')])
})

test('A port that cannot be opened because of too many open files is not reported as a wrong port', () => {
  const error = Object.assign(new Error('EMFILE: too many open files, listen'), { code: 'EMFILE' })
  expect(listenErrorOf(error, configOf({}))).toBe(error)
})

test('A database that SQLite cannot open says what to check', () => {
  const { folder, remove } = newFolder()
  try {
    mkdirSync(join(folder, 'lock'))
    expect(() => lockFolder(folder)).toThrow('the limit of open files')
  } finally {
    remove()
  }
})
