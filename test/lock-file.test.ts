import { expect, test } from 'bun:test'
import about from '../package.json' with { type: 'json' }
import lock from '../package-lock.json' with { type: 'json' }

type Entry = {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}
const entries = Object.entries(lock.packages as Record<string, Entry>)
const places = new Set(Object.keys(lock.packages))

/** Whether Node would find the package from a folder of the tree: in its own node_modules or in one above. */
function isFound(name: string, from: string): boolean {
  if (places.has(from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`)) return true
  return from !== '' && isFound(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

test('everything that a package may need for another system is in the lock file too, so that `npm ci` works on each', () => {
  const missing = entries.flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isFound(name, from))
      .map((name) => `${from || 'the project'} -> ${name}`),
  )
  expect(missing).toEqual([])
  expect(
    entries.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies)).length,
  ).toBeGreaterThan(50)
})

test('everything that a package needs is in the lock file', () => {
  expect(
    entries.flatMap(([from, { dependencies = {} }]) =>
      Object.keys(dependencies)
        .filter((name) => !isFound(name, from))
        .map((name) => `${from} -> ${name}`),
    ),
  ).toEqual([])
})

test('no address of a registry stands in the lock file: it is installed from whichever one is at hand', () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([place]) => place)).toEqual([])
})

test('every package of the lock file is pinned by its content', () => {
  expect(
    entries
      .filter(([place, { integrity }]) => place !== '' && !integrity?.startsWith('sha512-'))
      .map(([place]) => place),
  ).toEqual([])
})

test('the project pins every package it names to one version, the one of the lock file', () => {
  const named = Object.entries({ ...about.dependencies, ...about.devDependencies })
  expect(
    named
      .filter(
        ([name, version]) => (lock.packages as Record<string, Entry>)[`node_modules/${name}`]?.version !== version,
      )
      .map(([name]) => name),
  ).toEqual([])
})
