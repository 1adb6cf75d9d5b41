import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packAddresses } from '../../src/cli/pack-addresses.ts'
import { PackUsage } from '../../src/cli/pack-tools.ts'
import { configOf } from '../../src/config.ts'
import { openAddressPacks } from '../../src/packs/addresses.ts'
import { PackRefused } from '../../src/packs/pack-refused.ts'
import { newFolder } from '../packs/addresses-of.ts'

const embedded = join(import.meta.dir, '..', '..', 'dist', 'embedded.gpkg')

function toolsIn(data: string) {
  const lines: string[] = []
  return { lines, tools: { config: configOf({ FIELDSTONE_DATA: data }), print: (line: string) => void lines.push(line) } }
}

test('pack build addresses puts a pack where the service looks for it, and says what was left out', async () => {
  const data = newFolder()
  const csv = join(newFolder(), 'denver.csv')
  writeFileSync(csv, 'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-104.99,39.74,1437,Bannock St,,,,,80202,,\n-104.99,39.74,,Bannock St,,,,,80202,,')
  const { lines, tools } = toolsIn(data)
  expect(await packAddresses('addresses', [csv], { vintage: '2026-11' }, { tools, embedded })).toBe(0)
  expect(lines).toEqual([expect.stringContaining('1 addresses and 0 ranges on 1 streets'), 'Left out: 1 without a number.'])
  expect(openAddressPacks(join(data, 'packs')).list()).toMatchObject([{ file: 'addresses.sqlite', state: 'live', about: { vintage: '2026-11', publishers: 'OpenAddresses' } }])
})

test('without a file, or with one that has no addresses, nothing is built', async () => {
  const data = newFolder()
  const { tools } = toolsIn(data)
  const wrong = join(newFolder(), 'wrong.csv')
  writeFileSync(wrong, 'a,b\n1,2')
  const failureOf = (inputs: string[]) => packAddresses('address-ranges', inputs, {}, { tools, embedded }).catch((error: unknown) => error)
  expect(await failureOf([])).toBeInstanceOf(PackUsage)
  expect(await failureOf([wrong])).toBeInstanceOf(PackRefused)
  expect(readdirSync(join(data, 'packs'))).toEqual([])
})
