import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasChromium } from '../web/chromium.ts'
import { newFolder, startFieldstone } from './fieldstone.ts'

const { folder, remove } = newFolder()
afterAll(remove)
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
    const { code, out } = await report('--at', '39.7392,-104.9903', '--vs', '25.79,-80.13', '--fields', 'county')
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
  })

  test('needs --at, and no --address', async () => {
    expect((await report('--preset', 'place_context')).code).toBe(64)
    expect((await report('--address', '1437 Bannock St, Denver, CO', '--preset', 'place_context')).code).toBe(64)
  })
})
