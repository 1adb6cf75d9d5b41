import { expect, test } from 'bun:test'
import { createMirror } from '../../src/net/mirror.ts'

const isKnown = (host: string) => host === 'b.gov'

test('a URL is requested at the mirror under its host, with port, path and query', () => {
  const requestedUrl = (mirror: string, url: string) => createMirror(mirror, isKnown).rewrite(new URL(url)).href
  expect(requestedUrl('http://mirror:81', 'https://a.gov/x/y?q=1')).toBe('http://mirror:81/a.gov/x/y?q=1')
  expect(requestedUrl('http://mirror:81/up/', 'https://a.gov/')).toBe('http://mirror:81/up/a.gov/')
  expect(requestedUrl('http://mirror', 'https://a.gov:8443//x')).toBe('http://mirror/a.gov:8443//x')
})

test('a Location is resolved to a publisher URL', () => {
  const from = (location: string, mirror = 'http://mirror:81/up') =>
    createMirror(mirror, isKnown).resolveLocation(location, new URL('https://a.gov/x/y')).href
  expect(from('/z')).toBe('https://a.gov/z')
  expect(from('z?q=1')).toBe('https://a.gov/x/z?q=1')
  expect(from('https://b.gov/z')).toBe('https://b.gov/z')
  expect(from('http://mirror:81/up/b.gov/z?q=1')).toBe('https://b.gov/z?q=1')
  expect(from('/up/b.gov/z')).toBe('https://b.gov/z')
  expect(from('/up/a.gov/z')).toBe('https://a.gov/z')
  expect(from('/up/elsewhere.com/z')).toBe('https://a.gov/up/elsewhere.com/z')
  expect(from('http://mirror:81/up/elsewhere.com/z')).toBe('http://mirror:81/up/elsewhere.com/z')
  expect(from('http://mirror:81/other')).toBe('http://mirror:81/other')
})
