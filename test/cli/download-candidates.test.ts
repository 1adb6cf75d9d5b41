import { expect, test } from 'bun:test'
import { downloadCandidatesOf } from '../../src/cli/pack/publisher-files.ts'

const urls = (address: string, now: string) =>
  downloadCandidatesOf(address, new Date(now)).map(({ url, year }) => `${url} ${year}`)

test('a URL without alternatives is the only candidate', () => {
  expect(urls('https://a/b.zip', '2026-11-21T00:00:00Z')).toEqual(['https://a/b.zip null'])
})

test('{year} expands to last year and then to earlier years, in UTC', () => {
  expect(urls('https://a/1950-{year}.zip', '2026-12-31T23:59:59Z')).toEqual(
    [2025, 2024, 2023, 2022].map((year) => `https://a/1950-${year}.zip ${year}`),
  )
  expect(urls('https://a/{year}/{year}.zip', '2027-01-01T00:00:00Z')[0]).toBe('https://a/2026/2026.zip 2026')
})

test('all alternatives of a year precede those of an earlier year', () => {
  expect(urls('https://a/{year}_{V2,V1}.zip', '2026-06-01T00:00:00Z').slice(0, 3)).toEqual([
    'https://a/2025_V2.zip 2025',
    'https://a/2025_V1.zip 2025',
    'https://a/2024_V2.zip 2024',
  ])
})
