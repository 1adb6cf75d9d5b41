import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { extractZipEntries, readZipEntries } from '../../src/files/zip/extract-zip.ts'
import { zipLimits } from '../../src/files/zip/zip.ts'
import { buildTestPack, workFolder } from '../build-packs/build-test-pack.ts'
import { craftZip, deflatedZeros, zipWith, type CraftedMember } from './zip-bombs.ts'

const { folder, file, remove } = workFolder()
afterAll(remove)

const geojson = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { n: 1 }, geometry: { type: 'Point', coordinates: [-100, 40] } }],
})
const small = { deflated: Buffer.from([3, 0]), declaredSize: 0 }
let archives = 0

/** Extracts all members of an archive; the target folder has its name. */
async function extractAll(bytes: Uint8Array): Promise<{ target: string; extraction: Promise<string[]> }> {
  const path = file(`archive-${++archives}.zip`, bytes)
  const target = join(folder, `target-${archives}`)
  return { target, extraction: extractZipEntries(path, await readZipEntries(path, 'bomb.zip'), target, 'bomb.zip') }
}

async function expectRejected(bytes: Uint8Array, message: string): Promise<void> {
  const { target, extraction } = await extractAll(bytes)
  expect(extraction).rejects.toThrow(message)
  await extraction.catch(() => {})
  expect(existsSync(target) ? readdirSync(target) : []).toEqual([])
}

describe('extracting a ZIP archive', () => {
  test('writes members up to their declared size', async () => {
    const { target, extraction } = await extractAll(zipWith('folder/a.txt', 'x'.repeat(100_000)))
    expect(await extraction).toEqual([join(target, 'a.txt')])
    expect(statSync(join(target, 'a.txt')).size).toBe(100_000)
  })

  test('rejects a member that inflates to 64 MiB but declares 10 bytes, and leaves no file', () =>
    expectRejected(
      craftZip([{ name: 'lie.csv', deflated: deflatedZeros(1).deflated, declaredSize: 10 }]),
      'lie.csv in bomb.zip cannot be extracted: Invalid uncompressed size.',
    ))

  test('rejects a member that inflates to less than it declares, and leaves no file', () =>
    expectRejected(
      craftZip([{ ...small, name: 'short.csv', declaredSize: 10 }]),
      'short.csv in bomb.zip cannot be extracted: Invalid',
    ))

  test('rejects 4.2 MB that inflate to 4.3 GB, before writing anything', async () => {
    const { deflated } = deflatedZeros(64)
    const declaredSize = 64 * 64 * 1024 ** 2 - 1
    expect([deflated.length < 4_300_000, declaredSize > 4_290_000_000]).toEqual([true, true])
    await expectRejected(
      craftZip([{ name: 'bomb.csv', deflated, declaredSize }]),
      'bomb.csv in bomb.zip declares 4294967295 bytes, more than 200 times its compressed size.',
    )
  })

  test('rejects members that share their compressed bytes and inflate to much more than the archive', async () => {
    const { deflated, size } = deflatedZeros(1)
    const members = Array.from({ length: 100 }, (_, i): CraftedMember => ({
      name: `${i}.csv`,
      deflated,
      declaredSize: size,
      sharesContent: i > 0,
    }))
    await expectRejected(craftZip(members), 'bomb.zip declares 6710886400 bytes, more than 200 times')
  })

  test('rejects a member that declares more than the maximum', async () => {
    const path = file('huge.zip', zipWith('huge.csv', 'x'))
    const [entry] = await readZipEntries(path, 'huge.zip')
    const huge = { ...entry!, size: zipLimits.member_bytes + 1 }
    expect(extractZipEntries(path, [huge], join(folder, 'huge'), 'huge.zip')).rejects.toThrow(
      `huge.csv in huge.zip declares ${zipLimits.member_bytes + 1} bytes. The maximum is ${zipLimits.member_bytes}.`,
    )
  })

  test('rejects an archive with too many members', () => {
    const member = (i: number): CraftedMember => ({ ...small, name: `${i}`, sharesContent: i > 0 })
    const path = file('many.zip', craftZip(Array.from({ length: zipLimits.members + 1 }, (_, i) => member(i))))
    expect(readZipEntries(path, 'many.zip')).rejects.toThrow(`many.zip has more than ${zipLimits.members} members.`)
  })

  test.each([
    [1, [1, 2], 'count.zip is damaged or not a ZIP archive: Central directory header not found.'],
    [2, [1, 1], 'its directory has more than the 1 declared members.'],
    [2, [2, 1], 'its directory has more than the 1 declared members.'],
  ])('rejects a directory of %s members that declares %j on this disk and in all', (members, declared, sentence) => {
    const archive = craftZip(Array.from({ length: members }, (_, i) => ({ ...small, name: `${i}.csv` })))
    for (const [i, count] of declared.entries()) archive.writeUInt16LE(count, archive.length - 14 + 2 * i)
    expect(readZipEntries(file('count.zip', archive), 'count.zip')).rejects.toThrow(sentence)
  })

  test('rejects a member with a byte that is damaged, wherever it is, and leaves no file', async () => {
    const whole = zipWith('a.geojson', geojson.repeat(20))
    for (let at = 'a.geojson'.length + 30; at < whole.indexOf('PK\x01\x02'); at += 3) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 4
      await expectRejected(damaged, 'a.geojson in bomb.zip')
    }
  })

  test('rejects a name that is too long', () => {
    const path = file('name.zip', craftZip([{ ...small, name: 'n'.repeat(zipLimits.name_bytes + 1) }]))
    expect(readZipEntries(path, 'name.zip')).rejects.toThrow('name.zip has a member with a name of 1025 bytes.')
  })
})

describe('an archive in an archive', () => {
  const nested = (depth: number) =>
    Array.from({ length: depth }).reduce<Buffer>((inner) => zipWith('a.geojson', inner), Buffer.from(geojson))

  test('is read down to the maximum depth', async () => {
    expect(await buildTestPack([file('deep.zip', nested(zipLimits.depth))], folder)).toMatchObject({ features: 1 })
  })

  test('is rejected beyond the maximum depth', () => {
    expect(buildTestPack([file('deeper.zip', nested(zipLimits.depth + 1))], folder)).rejects.toThrow(
      `a.geojson is an archive inside ${zipLimits.depth} others.`,
    )
  })
})

test('memory does not grow with what is inflated or declared', async () => {
  const { deflated, size } = deflatedZeros(3)
  const archive = file(
    'large.zip',
    craftZip([{ name: 'large.csv', deflated, declaredSize: size, crc: crc32(Buffer.alloc(size)) }]),
  )
  const liar = file(
    'liar.zip',
    craftZip([{ name: 'liar.csv', deflated: deflatedZeros(60).deflated, declaredSize: 10 }]),
  )
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'inflate-in-child.ts'), folder, archive, liar], {
    stdout: 'pipe',
  })
  const { written, maxRss_bytes, errors } = (await new Response(child.stdout).json()) as {
    written: number
    maxRss_bytes: number
    errors: string[]
  }
  expect(written).toBe(size)
  expect(errors).toEqual([
    expect.stringContaining('Invalid uncompressed size'),
    ...Array.from({ length: 6 }, () => expect.stringContaining('a page declares 2147483647 bytes') as unknown),
  ])
  expect(maxRss_bytes).toBeLessThan(300 * 1024 ** 2)
})
