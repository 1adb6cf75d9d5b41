import { readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { testFiles } from '../test-files.ts'

/** The nearest tests notice most mutations. Those of the users run only after them. */
const stageSizes = [6, 14]
/** Test files that run minutes, and show only at their end what nearer tests show at once. */
const slow = /^test\/(web|lies|faults|load|conformance|end-to-end|online|readme|accuracy)\//

/**
 * Returns a function that finds the tests nearest to a source file, among those that import it in some steps, in stages
 * to run one after the other. Tests of its folder that begin with the same words come first, then those with the fewest
 * steps; another folder counts as a step, a long test as half of one.
 */
export function nearestTests(root: string): (file: string) => string[][] {
  const importers = new Map<string, string[]>()
  for (const file of new Bun.Glob('{src,test,catalog,scripts}/**/*.{ts,tsx}').scanSync(root)) {
    const text = readFileSync(join(root, file), 'utf8')
    const imported = [...text.matchAll(/(?:from|import\(|URL\()\s*'(\.[^']+)'/g)].map(([, path]) =>
      normalize(join(dirname(file), path!)),
    )
    // Tests of the command line start the program.
    if (/'src', 'main\.ts'/.test(text)) imported.push('src/main.ts')
    for (const path of imported) importers.set(path, [...(importers.get(path) ?? []), file])
  }
  const isTest = (file: string) => /\.test\.tsx?$/.test(file) && !slow.test(file)
  const isShort = new Set(testFiles('short', root).map((file) => file.slice(2)))
  return (file) => {
    const folder = file.replace(/^src\/([^/]+)\/.*$/, 'test/$1/')
    const steps = new Map([[file, 0]])
    for (const [reached, step] of steps)
      for (const importer of importers.get(reached) ?? []) if (!steps.has(importer)) steps.set(importer, step + 1)
    const namesake = (test: string) =>
      test.startsWith(folder) && firstWord(test) === firstWord(file) ? sharedWords(test, file) : 0
    const tests = [...steps.keys()]
      // A long test is for its own folder.
      .filter((test) => isTest(test) && (isShort.has(test) || test.startsWith(folder)))
      .toSorted()
    const distance = (test: string) =>
      steps.get(test)! + Number(!test.startsWith(folder)) + Number(!isShort.has(test)) / 2
    const sorted = tests.toSorted(
      (a, b) => namesake(b) - namesake(a) || distance(a) - distance(b) || sharedWords(b, file) - sharedWords(a, file),
    )
    const [first, second] = stageSizes as [number, number]
    return [sorted.slice(0, first), sorted.slice(first, first + second)].filter((stage) => stage.length > 0)
  }
}

const wordsOf = (file: string) => basename(file).replace(/\..*/, '').split('-')
const firstWord = (file: string) => wordsOf(file)[0]

function sharedWords(a: string, b: string): number {
  return new Set(wordsOf(a)).intersection(new Set(wordsOf(b))).size
}
