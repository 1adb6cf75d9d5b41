import { afterAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { openRegionArchive, stageRegion, verifyRegion } from '../../src/build-packs/region-import.ts'
import {
  addTrustedKey,
  openSigningKey,
  readTrustedKeys,
  removeTrustedKey,
  verifySignature,
} from '../../src/build-packs/signing-keys.ts'
import { inMemoryMember, tarHeaderOf, tarPaddingOf, writeArchive } from '../../src/backup/tar.ts'
import { freeBytesIn } from '../../src/store/free-space.ts'
import { hasStrace } from '../support/strace.ts'
import { killImports } from './import-kills.ts'
import { installedFilesOf, createRegionFolder, exportAll, newFiles } from './region-folders.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const source = createRegionFolder(newFiles)
const archive = join(folder, 'region.tar')
const manifest = exportAll(source, archive)
const bytes = readFileSync(archive)
afterAll(() => rmSync(source.data, { recursive: true, force: true }))

let files = 0
function withBytes(content: Uint8Array): string {
  const file = join(folder, `${files++}.tar`)
  writeFileSync(file, content)
  return file
}
const readAll = (file: string) => {
  const opened = openRegionArchive(file)
  try {
    verifyRegion(opened)
  } finally {
    opened.close()
  }
}
/** An archive of these files, signed by the key of the source, with these entries instead of its own. */
function crafted(
  listed: Record<string, string>,
  entries: Record<string, string> = listed,
  packs: string[] = [],
): string {
  const key = openSigningKey(source.data)
  const described = {
    ...manifest,
    files: Object.entries(listed).map(([name, text]) => {
      const { bytes: size, sha256 } = inMemoryMember(text)
      return { name, bytes: size, sha256 }
    }),
    packs: packs.map((file) => ({ file, area: null, vintage: null, fetched_at: null })),
  }
  const manifestPart = inMemoryMember(JSON.stringify(described))
  const file = join(folder, `${files++}.tar`)
  writeArchive(
    file,
    [
      { name: 'region.json', ...manifestPart },
      { name: 'region.sig', ...inMemoryMember(key.sign(manifestPart.text)) },
      ...Object.entries(entries).map(([name, text]) => ({ name, ...inMemoryMember(text) })),
    ],
    new Date(0),
  )
  return file
}

test('an import gives every pack, manifest and layer of the export, which tar reads too', () => {
  expect(Bun.spawnSync(['tar', 'tf', archive]).stdout.toString().split('\n')).toContain('packs/usfws_nwi/08013.gpkg')
  expect(manifest.packs[1]).toEqual({
    file: 'usfws_nwi/08013.gpkg',
    area: 'Boulder County, CO',
    vintage: '2026',
    fetched_at: null,
  })
  const target = createRegionFolder({ 'packs/usfws_nwi/08059.gpkg': 'stays', 'packs/epa_tri.json': '{"sha256":"old"}' })
  const opened = openRegionArchive(archive)
  const staged = stageRegion(opened, target.packs)
  expect(existsSync(join(target.packs, 'usfws_nwi/08013.gpkg'))).toBe(false)
  staged.install(target)
  staged.remove()
  opened.close()
  expect(installedFilesOf(target)).toEqual({
    ...newFiles,
    'packs/usfws_nwi/08059.gpkg': 'stays',
    // The manifest of the replaced file would describe another file.
    'packs/epa_tri.json': '{}\n',
  })
  rmSync(target.data, { recursive: true })
})

describe('an export', () => {
  test('does not overwrite a file, and does not start a pack that differs from its manifest', () => {
    expect(() => exportAll(source, archive)).toThrow(/already exists/)
    const damaged = createRegionFolder({ ...newFiles, 'packs/epa_tri.json': `{"sha256":"${'0'.repeat(64)}"}` })
    const file = join(folder, 'damaged.tar')
    expect(() => exportAll(damaged, file)).toThrow(/epa_tri\.gpkg differs from the checksum in its manifest/)
    expect(existsSync(file)).toBe(false)
    rmSync(damaged.data, { recursive: true })
  })
})

describe('an archive is rejected, with the file that is wrong:', () => {
  test.each(manifest.files.map(({ name }) => name))('damaged in %s', (name) => {
    const opened = openRegionArchive(archive)
    const { offset } = opened.entries.get(name)!
    opened.close()
    const changed = Buffer.from(bytes)
    changed[offset] = changed[offset]! ^ 1
    expect(() => readAll(withBytes(changed))).toThrow(`Damaged region archive: "${name}" does not match`)
  })

  test('cut at any block', () => {
    for (let end = 0; end < bytes.length - 1024; end += 512)
      expect(() => readAll(withBytes(bytes.subarray(0, end)))).toThrow(/Truncated|Not a Fieldstone|is missing/)
    const cut = bytes.subarray(0, bytes.indexOf('new wetlands') + 100)
    expect(() => readAll(withBytes(cut))).toThrow(
      'Truncated region archive: packs/usfws_nwi/08013.gpkg is not complete.',
    )
  })

  test('a manifest that was changed after it was signed', () => {
    const changed = Buffer.from(bytes.toString('latin1').replace('"vintage": "2026"', '"vintage": "2027"'), 'latin1')
    expect(() => readAll(withBytes(changed))).toThrow('the signature of region.json is not valid')
  })

  test('without a signature', () => {
    const file = join(folder, 'unsigned.tar')
    writeArchive(file, [{ name: 'region.json', ...inMemoryMember('{}') }], new Date(0))
    expect(() => readAll(file)).toThrow('Unsigned region archive: it has no region.sig.')
  })

  test.each([
    ['../escaped.json', '../escaped.json'],
    ['/etc/passwd', '/etc/passwd'],
    ['packs/../../x.gpkg', 'packs/../../x.gpkg'],
    ['packs/a/b/c.gpkg', 'packs/a/b/c.gpkg'],
    ['packs/.hidden.gpkg', 'packs/.hidden.gpkg'],
    ['state.db', 'state.db'],
  ])('a listed name outside of packs and layers: %s', (name) => {
    expect(() => readAll(crafted({ [name]: 'x' }))).toThrow(`it lists the file ${JSON.stringify(name)}`)
  })

  test('a described pack that is not listed', () => {
    expect(() => readAll(crafted({ 'packs/a.gpkg': 'x' }, undefined, ['../b.gpkg']))).toThrow(
      'it describes "../b.gpkg"',
    )
  })

  test('a file that is not listed, is missing, or is there twice', () => {
    expect(() => readAll(crafted({ 'packs/a.gpkg': 'x' }, { 'packs/a.gpkg': 'x', 'packs/b.gpkg': 'y' }))).toThrow(
      '"packs/b.gpkg" does not match',
    )
    expect(() => readAll(crafted({ 'packs/a.gpkg': 'x', 'packs/b.gpkg': 'y' }, { 'packs/a.gpkg': 'x' }))).toThrow(
      'packs/b.gpkg is missing',
    )
    const twice = Buffer.concat([bytes.subarray(0, -1024), bytes.subarray(0, -1024), new Uint8Array(1024)])
    expect(() => readAll(withBytes(twice))).toThrow('does not match')
  })

  test('a link', () => {
    const links = temporaryFolder()
    symlinkSync('/etc/passwd', join(links, 'region.json'))
    const file = join(folder, 'link.tar')
    Bun.spawnSync(['tar', '--format=ustar', '-cf', file, '-C', links, 'region.json'])
    expect(statSync(file).size).toBeGreaterThan(0)
    expect(() => readAll(file)).toThrow('"region.json" is not an ordinary file')
  })

  test('something else', () => {
    expect(() => readAll(withBytes(new Uint8Array(4096).fill(7)))).toThrow('Not a Fieldstone region archive')
    expect(() => readAll(join(folder, 'none.tar'))).toThrow(/none\.tar does not exist/)
    expect(() => readAll(folder)).toThrow('it is not a file')
  })
})

test('an archive that does not fit on the disk is rejected before anything is written', () => {
  const target = createRegionFolder({})
  const size = freeBytesIn(target.packs) + 1e9
  const key = openSigningKey(source.data)
  const name = 'packs/large.tif'
  const manifestPart = inMemoryMember(
    JSON.stringify({ ...manifest, files: [{ name, bytes: size, sha256: '0'.repeat(64) }], packs: [] }),
  )
  const file = join(folder, 'large.tar')
  writeArchive(
    file,
    [
      { name: 'region.json', ...manifestPart },
      { name: 'region.sig', ...inMemoryMember(key.sign(manifestPart.text)) },
    ],
    new Date(0),
  )
  const start = statSync(file).size - 1024
  const handle = openSync(file, 'r+')
  writeSync(handle, tarHeaderOf(name, size, new Date(0)), 0, 512, start)
  ftruncateSync(handle, start + 512 + size + tarPaddingOf(size).length + 1024)
  closeSync(handle)
  const opened = openRegionArchive(file)
  expect(() => stageRegion(opened, target.packs)).toThrow(
    /The import needs \d+ MB on the disk of .* Nothing was changed\./,
  )
  opened.close()
  expect(installedFilesOf(target)).toEqual({})
  rmSync(target.data, { recursive: true })
})

describe('signing keys', () => {
  test('stay the same, are private, and verify only what they signed', () => {
    const key = openSigningKey(source.data)
    expect(openSigningKey(source.data).publicKey).toBe(key.publicKey)
    expect(statSync(join(source.data, 'pack-key.pem')).mode & 0o777).toBe(0o600)
    const text = new TextEncoder().encode('text')
    const other = createRegionFolder({})
    expect(verifySignature(text, key.sign(text), key.publicKey)).toBe(true)
    expect(verifySignature(text, key.sign(text), openSigningKey(other.data).publicKey)).toBe(false)
    expect(verifySignature(text.subarray(1), key.sign(text), key.publicKey)).toBe(false)
    expect(verifySignature(text, 'nonsense', key.publicKey)).toBe(false)
    rmSync(other.data, { recursive: true })
  })

  test('are trusted until they are removed by text or name', () => {
    const { data } = createRegionFolder({})
    const { publicKey } = openSigningKey(source.data)
    expect(() => addTrustedKey(data, 'ed25519:short', 'x')).toThrow('"ed25519:short" is not a public key')
    addTrustedKey(data, publicKey, 'office')
    addTrustedKey(data, publicKey, 'data center')
    expect(readTrustedKeys(data)).toMatchObject([{ key: publicKey, name: 'data center' }])
    expect(removeTrustedKey(data, 'office')).toBeNull()
    expect(removeTrustedKey(data, 'data center')?.key).toBe(publicKey)
    expect(readTrustedKeys(data)).toEqual([])
    writeFileSync(join(data, 'trusted-keys.json'), '{"cut')
    expect(() => readTrustedKeys(data)).toThrow(/trusted-keys\.json is damaged/)
    rmSync(data, { recursive: true })
  })
})

test.skipIf(!hasStrace)(
  'an import that is killed at a call that writes leaves the old or the new files (needs strace)',
  async () => {
    const kills = await killImports(3)
    expect(kills.filter(({ state }) => state === 'mixed')).toEqual([])
    const states = kills.filter(({ isKilled }) => isKilled).map(({ state }) => state)
    expect(states.filter((state) => state === 'old').length).toBeGreaterThan(3)
    expect(states.filter((state) => state === 'new').length).toBeGreaterThan(3)
  },
  240_000,
)
