import { expect, test } from 'bun:test'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleFiles } from '../../src/cli/run/sample-files.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const sample = (words: string[]) => startFieldstone(['sample', ...words], {}, folder).end()
const names = sampleFiles.map(({ name }) => name).toSorted()

test('sample writes the files of the guide into a new folder, and lists them', async () => {
  const { code, out, err } = await sample(['samples'])
  expect([code, err]).toEqual([0, ''])
  expect(readdirSync(join(folder, 'samples')).toSorted()).toEqual(names)
  for (const name of names) expect(out).toContain(`samples/${name}`)
})

test('sample replaces a file only with --force; without it, nothing is written', async () => {
  const mine = join(folder, 'mine')
  await sample([mine])
  for (const name of names) writeFileSync(join(mine, name), 'mine')
  expect(await sample([mine])).toEqual({
    code: 64,
    out: '',
    err: expect.stringContaining(`${mine} already has sites.csv, `) as string,
  })
  expect(names.map((name) => readFileSync(join(mine, name), 'utf8'))).toEqual(names.map(() => 'mine'))
  expect((await sample([mine, '--force'])).code).toBe(0)
  expect(readFileSync(join(mine, 'sites.csv'), 'utf8')).toStartWith('name,lat,lng\n')
})

test('sample into a folder that nobody can create is a sentence', async () => {
  const { code, err } = await sample(['/proc/none/samples'])
  expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]*'\/proc\/none\/samples'[^\n]*\n$/) as string])
})

test('sample without a folder says how it is used', async () => {
  expect(await sample([])).toMatchObject({ code: 64, err: expect.stringContaining('fieldstone sample <folder>') })
})
