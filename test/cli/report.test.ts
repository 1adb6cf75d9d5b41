import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasChromium } from '../web/chromium.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const file = (name: string) => join(folder, name)
const report = (...args: string[]) =>
  startFieldstone(['report', ...args, '--data', file('data')], { PATH: process.env.PATH ?? '' }, folder).end()

describe('fieldstone report', () => {
  test('writes one HTML file, and takes a place by name', async () => {
    const { code, out } = await report('--at', 'Miami Beach, FL', '--preset', 'place_context', '--out', file('a.html'))
    expect([code, out]).toEqual([0, ''])
    expect(readFileSync(file('a.html'), 'utf8')).toContain('<h1>Miami-Dade County, FL</h1>')
  })

  test('prints the HTML without --out', async () => {
    const { code, out } = await report('--at', '39.7392,-104.9903', '--vs', '25.79,', '-80.13', '--fields', 'county')
    expect(code).toBe(0)
    expect(out).toStartWith('<!doctype html>')
    expect(out).toContain('Denver County, CO and Miami-Dade County, FL')
  })

  test.skipIf(!hasChromium)('writes a PDF file with --pdf', async () => {
    const { code } = await report('--at', '39.7392,-104.9903', '--preset', 'place_context', '--pdf', file('a.pdf'))
    expect(code).toBe(0)
    expect(readFileSync(file('a.pdf'), 'latin1')).toStartWith('%PDF-')
  })

  test('says what is wrong, writes nothing, and ends with 1', async () => {
    const { code, err } = await report('--at', '39.7392,-104.9903', '--fields', 'countie', '--out', file('b.html'))
    expect([code, existsSync(file('b.html'))]).toEqual([1, false])
    expect(err).toContain('Unknown field "countie". Did you mean "county"?')
    const noFolder = await report('--at', '39.7392,-104.9903', '--fields', 'county', '--out', file('none/b.html'))
    expect([noFolder.code, noFolder.err]).toEqual([1, expect.stringMatching(/^The folder \S+none does not exist\. /)])
  })

  test('is about the shape of a file, and names a file that it cannot read', async () => {
    const ring = [[-105, 39.7].join(), [-104.9, 39.7].join(), [-104.9, 39.8].join(), [-105, 39.7].join()].join(' ')
    const outline = `<outerBoundaryIs><LinearRing><coordinates>${ring}</coordinates></LinearRing></outerBoundaryIs>`
    writeFileSync(file('site.kml'), `<kml><Placemark><Polygon>${outline}</Polygon></Placemark></kml>`)
    const { code } = await report('--shape', file('site.kml'), '--fields', 'county', '--out', file('area.html'))
    expect([code, readFileSync(file('area.html'), 'utf8')]).toEqual([0, expect.stringContaining('Denver County')])
    const missing = await report('--shape', 'missing.geojson', '--fields', 'county')
    expect([missing.code, missing.err]).toEqual([64, expect.stringContaining('Cannot read missing.geojson')])
  })

  test('needs one location or one area', async () => {
    const address = ['--address', '1777 Broadway, Boulder, CO 80302']
    const shape = ['--shape', 'county:08031']
    for (const words of [[], [...address, '--at', '39.7,-105'], [...address, ...shape], ['--address', ' ']])
      expect([words, (await report(...words, '--fields', 'county')).code]).toEqual([words, 64])
  })

  test('finds a street address, and writes neither the address nor more than its coordinate', async () => {
    const header = 'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH'
    const row = '-105.2797,40.0182,1777,Broadway,,Boulder,,CO,80302,,a1'
    writeFileSync(file('co.csv'), `${header}\n${row}\n`)
    const build = ['pack', 'build', 'addresses', 'co.csv', '--data', file('data')]
    expect((await startFieldstone(build, {}, folder).end()).code).toBe(0)
    const flags = ['--fields', 'county', '--out', file('c.html')]
    const found = await report('--address', '1777 broadway boulder co', ...flags)
    expect(found.code).toBe(0)
    expect(found.err).toContain('Location: 1777 Broadway, Boulder, CO 80302 (rooftop)\n')
    const document = readFileSync(file('c.html'), 'utf8')
    expect(document).toContain('fieldstone report --at 40.0182,-105.2797 --fields county')
    expect(document).not.toContain('Broadway')
    const unknown = await report('--address', '9 Nowhere Ln, Boulder, CO 80302', ...flags)
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('Address not found')])
  })
})
