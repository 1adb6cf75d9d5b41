import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import { packCommand } from '../../src/cli/pack/pack.ts'
import { commandFailureOf } from '../../src/cli/command-error.ts'
import { buildAddressPack } from '../../src/cli/pack/pack-build-addresses.ts'
import { UsageError } from '../../src/cli/usage-error.ts'
import { configOf } from '../../src/config.ts'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { FileError } from '../../src/files/file-error.ts'
import { createLog } from '../../src/log.ts'
import { workers } from '../../src/workers.ts'
import { newAddressFolder, buildRangePack, buildPointPack } from '../packs/build-address-packs.ts'

const embedded = join(import.meta.dir, '..', '..', 'dist', 'embedded.bin')

function toolsIn(data: string) {
  const lines: string[] = []
  return {
    lines,
    tools: { config: configOf({ FIELDSTONE_DATA: data }), print: (line: string) => void lines.push(line) },
  }
}

test('pack build addresses writes the pack to the pack folder and prints what was excluded', async () => {
  const data = newAddressFolder()
  const csv = join(newAddressFolder(), 'denver.csv')
  writeFileSync(
    csv,
    'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-104.99,39.74,1437,Bannock St,,,,,80202,,\n-104.99,39.74,,Bannock St,,,,,80202,,',
  )
  const { lines, tools: deps } = toolsIn(data)
  expect(await buildAddressPack('addresses', [csv], { vintage: '2026-11' }, { deps, embedded })).toBe(0)
  expect(lines).toEqual([
    expect.stringContaining('1 address and 0 ranges on 1 street'),
    'Excluded: 1 without a house number.',
  ])
  expect(openAddressPackFolder(join(data, 'packs')).list()).toMatchObject([
    { file: 'addresses.sqlite', state: 'live', metadata: { vintage: '2026-11', publishers: 'OpenAddresses' } },
  ])
})

test('pack build addresses names the packs that have an old format', async () => {
  const data = newAddressFolder()
  const csv = join(newAddressFolder(), 'a.csv')
  writeFileSync(
    csv,
    'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-104.99,39.74,1437,Bannock St,,,,,80202,,',
  )
  const { lines, tools: deps } = toolsIn(data)
  await buildAddressPack('addresses', [csv], { part: 'old' }, { deps, embedded })
  const db = new Database(join(data, 'packs', 'addresses-old.sqlite'))
  db.run('ALTER TABLE addr DROP COLUMN number')
  db.run('PRAGMA user_version = 1')
  db.close()
  await buildAddressPack('addresses', [csv], { part: 'new' }, { deps, embedded })
  expect(lines.filter((line) => line.includes('old format'))).toEqual([
    'addresses-old.sqlite has an old format without house numbers as published. Rebuild it with `fieldstone pack build`.',
  ])
})

test('a part has a file of its own, and counts the units that stood in the column of the street', async () => {
  const data = newAddressFolder()
  const { lines, tools: deps } = toolsIn(data)
  for (const [part, street] of [
    ['a', 'Bannock St'],
    ['b', 'Bannock St #4'],
  ]) {
    const csv = join(newAddressFolder(), `${part}.csv`)
    writeFileSync(
      csv,
      `LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-104.99,39.74,1437,${street},,,,,80202,,`,
    )
    expect(await buildAddressPack('addresses', [csv], { part: part! }, { deps, embedded })).toBe(0)
  }
  expect(lines.at(-1)).toBe('1 unit stood in the column of the street.')
  expect(readdirSync(join(data, 'packs')).toSorted()).toEqual(['addresses-a.sqlite', 'addresses-b.sqlite'])
  const failed = buildAddressPack('addresses', ['x.csv'], { part: '../x' }, { deps, embedded })
  expect(await failed.catch((error: unknown) => error)).toBeInstanceOf(UsageError)
})

test('without a file, or with a file without addresses, nothing is built', async () => {
  const data = newAddressFolder()
  const { tools: deps } = toolsIn(data)
  const wrong = join(newAddressFolder(), 'wrong.csv')
  writeFileSync(wrong, 'a,b\n1,2')
  const failureOf = (inputs: string[]) =>
    buildAddressPack('address-ranges', inputs, {}, { deps, embedded }).catch((error: unknown) => error)
  expect(await failureOf([])).toBeInstanceOf(UsageError)
  expect(await failureOf([wrong])).toBeInstanceOf(FileError)
  expect(readdirSync(join(data, 'packs'))).toEqual([])
})

describe('a pack of addresses', () => {
  const data = newAddressFolder()
  const packs = join(data, 'packs')
  const print: string[] = []
  const complain: string[] = []
  const run = async (...words: string[]) => {
    const flags = Object.fromEntries(words.filter((word) => word.startsWith('--')).map((word) => [word.slice(2), true]))
    print.length = 0
    complain.length = 0
    const code = await packCommand(
      words.filter((word) => !word.startsWith('--')),
      flags,
      {
        config: configOf({ FIELDSTONE_DATA: data }),
        options: { contents, workers, version: 'test', embedded, log: createLog('error', () => {}) },
        print: (line) => void print.push(line),
        printError: (line) => void complain.push(line),
      },
    ).catch((error: unknown) => {
      const { exitCode, text } = commandFailureOf(error)
      complain.push(text)
      return exitCode
    })
    return { code, out: print.join('\n'), err: complain.join('\n') }
  }
  beforeAll(async () => {
    mkdirSync(packs)
    await buildPointPack(packs, [
      { number: '1437', street: 'Bannock St', postcode: '80202', lat: 39.74, lng: -104.99 },
      { number: '1439', street: 'Bannock St', postcode: '80202', lat: 39.741, lng: -104.99 },
    ])
    await buildRangePack(
      packs,
      [
        {
          name: 'Main St',
          line: [
            [-104.99, 39.74],
            [-104.98, 39.74],
          ],
          left: ['100', '198'],
        },
      ],
      'address-ranges-denver.sqlite',
    )
  })

  test('is listed with its number of addresses, and --all prints its path', async () => {
    expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([
      {
        file: 'address-ranges-denver.sqlite',
        datasets: ['address-ranges'],
        layers: ['ranges'],
        features: 1,
        state: 'ok',
      },
      { file: 'addresses.sqlite', datasets: ['addresses'], layers: ['points'], features: 2, state: 'ok' },
    ])
    expect((await run('list', '--all')).out).toContain(join(packs, 'addresses.sqlite'))
  })

  test('is valid under any of its names, and not valid after losing a row or its end', async () => {
    const okOf = (file: string) =>
      `${join(packs, file)}: ok, but it has no checksum: values that changed on the disk are not found`
    const [all, one] = [['address-ranges-denver.sqlite', 'addresses.sqlite'].map(okOf), okOf('addresses.sqlite')]
    expect(await run('verify')).toMatchObject({ code: 0, out: all.join('\n') })
    expect(await run('verify', 'addresses')).toMatchObject({ code: 0, out: one })
    const path = join(packs, 'addresses.sqlite')
    const whole = readFileSync(path)
    const db = new Database(path)
    db.run('DELETE FROM addr WHERE num = 1439')
    db.close(true)
    expect(await run('verify', 'addresses')).toMatchObject({
      code: 1,
      out: expect.stringContaining('addresses.sqlite has 1 rows in addr, but its metadata says 2.'),
    })
    writeFileSync(path, whole.subarray(0, whole.length - 8_192))
    expect(await run('verify', 'addresses')).toMatchObject({ code: 1, out: expect.stringContaining('is truncated') })
    expect(JSON.parse((await run('list', '--json')).out)[1]).toMatchObject({
      file: 'addresses.sqlite',
      state: 'rejected',
      reason: expect.stringContaining('is truncated'),
    })
    writeFileSync(path, whole)
  })

  test('with damaged pages is not valid', async () => {
    const path = join(packs, 'addresses.sqlite')
    const whole = readFileSync(path)
    const damaged = Buffer.from(whole)
    // After the first page, which has the header and the schema.
    for (let at = 2 * 8_192; at < damaged.length; at += 8_192) damaged.fill(0xff, at, at + 64)
    writeFileSync(path, damaged)
    expect((await run('verify', 'addresses')).code).toBe(1)
    writeFileSync(path, whole)
  })

  test('is removed by name; an unknown name is answered with the known ones', async () => {
    expect(await run('remove', 'address-ranges')).toMatchObject({
      code: 1,
      err: `There is no pack address-ranges.sqlite in ${packs}. The address packs there are address-ranges-denver.sqlite, addresses.sqlite.`,
    })
    expect(await run('remove', 'address-ranges-denver')).toMatchObject({
      code: 0,
      out: `Removed ${join(packs, 'address-ranges-denver.sqlite')}.`,
    })
    expect((await run('remove', 'addresses')).code).toBe(0)
    expect(readdirSync(packs)).toEqual([])
  })
})
