import { readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { testFiles } from '../test-files.ts'

/** The nearest tests notice most mutations. Those that speak of the same things run only after them. */
const stageSizes = { nearest: 6, alike: 8 }
/** Test files that run minutes, and show only at their end what nearer tests show at once. */
const slow = /^test\/(web|lies|faults|load|conformance|end-to-end|online|readme|accuracy)\//

/**
 * Returns a function that finds the tests of a source file among those that import it in some steps, in two stages. The
 * nearest: tests of its folder that begin with the same words, then those with the fewest steps; another folder counts
 * as a step. Those alike: tests with the most words of the file that few others have; of the long ones twice as many.
 */
export function nearestTests(root: string): (file: string) => string[][] {
  const importers = new Map<string, string[]>()
  const words = new Map<string, Set<string>>()
  for (const file of new Bun.Glob('{src,test,catalog,scripts}/**/*.{ts,tsx}').scanSync(root)) {
    const text = readFileSync(join(root, file), 'utf8')
    words.set(file, new Set(text.match(/[a-z]+_\w+|[a-z]+[A-Z]\w+|[A-Z]{3,}\w*/g)))
    const imported = [...text.matchAll(/(?:from|import\(|URL\()\s*'(\.[^']+)'/g)].map(([, path]) =>
      normalize(join(dirname(file), path!)),
    )
    // Tests of the command line start the program.
    if (/'src', 'main\.ts'/.test(text)) imported.push('src/main.ts')
    for (const path of imported) importers.set(path, [...(importers.get(path) ?? []), file])
  }
  const filesWith = new Map<string, number>()
  for (const word of [...words.values()].flatMap((all) => [...all])) filesWith.set(word, (filesWith.get(word) ?? 0) + 1)
  const likeness = (a: Set<string>, b: Set<string>) =>
    [...a.intersection(b)].reduce((sum, word) => sum + 1 / filesWith.get(word)!, 0)
  const isTest = (file: string) => /\.test\.tsx?$/.test(file) && !slow.test(file)
  const isShort = new Set(testFiles('short', root).map((file) => file.slice(2)))
  return (file) => {
    const folder = file.replace(/^src\/([^/]+)\/.*$/, 'test/$1/')
    const steps = new Map([[file, 0]])
    for (const [reached, step] of steps)
      for (const importer of importers.get(reached) ?? []) if (!steps.has(importer)) steps.set(importer, step + 1)
    const namesake = (test: string) =>
      test.startsWith(folder) && firstWord(test) === firstWord(file) ? sharedWords(test, file) : 0
    const tests = [...steps.keys()].filter(isTest).toSorted()
    const distance = (test: string) => steps.get(test)! + Number(!test.startsWith(folder))
    const nearest = tests
      // A long test is for its own folder.
      .filter((test) => isShort.has(test) || test.startsWith(folder))
      .toSorted(
        (a, b) =>
          namesake(b) - namesake(a) ||
          distance(a) - distance(b) ||
          Number(isShort.has(b)) - Number(isShort.has(a)) ||
          sharedWords(b, file) - sharedWords(a, file),
      )
      .slice(0, stageSizes.nearest)
    const alike = new Map(
      tests.map((test) => [test, likeness(words.get(test)!, words.get(file)!) * (isShort.has(test) ? 2 : 1)]),
    )
    const others = tests
      .filter((test) => !nearest.includes(test) && (!test.startsWith('test/cli/') || test.startsWith(folder)))
      .toSorted((a, b) => alike.get(b)! - alike.get(a)!)
    return [nearest, others.slice(0, stageSizes.alike)].filter((stage) => stage.length > 0)
  }
}

const wordsOf = (file: string) => basename(file).replace(/\..*/, '').split('-')
const firstWord = (file: string) => wordsOf(file)[0]

function sharedWords(a: string, b: string): number {
  return new Set(wordsOf(a)).intersection(new Set(wordsOf(b))).size
}
