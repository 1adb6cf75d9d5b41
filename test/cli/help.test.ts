import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { exitCodeMeanings, exitCodes } from '../../src/cli/exit-codes.ts'
import { commandNames } from '../../src/cli/help.ts'
import { manualPage } from '../../src/cli/manual-page.ts'
import type { CommandPage } from '../../src/cli/command-page.ts'
import { commandPages } from '../../src/cli/command-pages.ts'
import { settingDescriptions } from '../../src/cli/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

const commands = Object.entries(commandPages) as [name: string, page: CommandPage][]
const allFlags = new Map(commands.flatMap(([, { options }]) => Object.entries(options)))

async function runFieldstone(words: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' }
  const code = await runCommandLine(words, {
    env: { FIELDSTONE_DATA: join(folder, 'data') },
    print: (line) => {
      said.out += `${line}\n`
    },
    printError: (line) => {
      said.err += `${line}\n`
    },
    appOptions: () => {
      throw new TypeError('the house stays closed')
    },
    unpackEmbedded: () => Promise.reject(new Error('not used')),
    version: '1.2.3',
    buildInfo: () => {
      throw new TypeError('not asked')
    },
  })
  return { code, ...said }
}

describe.each(commands)('%s', (name, page) => {
  test('has one page, under both names', async () => {
    const [one, other] = [await runFieldstone(['help', name]), await runFieldstone([name, '--help'])]
    expect([one.code, one.err, one]).toEqual([0, '', other])
    expect(one.out).toStartWith(`fieldstone ${name}`)
    for (const part of ['Options:', 'Exit codes', 'Examples:']) expect(one.out).toContain(part)
  })

  test('takes the flags of its page, and no other', async () => {
    const { out } = await runFieldstone(['help', name])
    const message = [...out.matchAll(/^ {2}--([\w-]+)/gm)].map(([, flag]) => flag!)
    const taken: string[] = []
    for (const [flag, { valueName }] of allFlags) {
      const { code, err } = await runFieldstone([
        name,
        `--${flag}`,
        ...(valueName === undefined ? [] : ['1']),
        '--help',
      ])
      if (code === 0) taken.push(flag)
      else expect([code, err]).toEqual([64, expect.stringContaining(`does not take --${flag}`)])
    }
    expect(message.sort()).toEqual([...taken, 'env-file', 'help'].sort())
  })

  test('has examples that its own parser takes', async () => {
    expect(page.examples.length).toBeGreaterThan(0)
    for (const [line] of page.examples) {
      const [program, first, ...rest] = wordsOf(line)
      expect([program, first]).toEqual(['fieldstone', name])
      expect([line, (await runFieldstone([first!, ...rest, '--help'])).code]).toEqual([line, 0])
    }
  })

  test('names variables that are known once each, and ends with codes that are known', () => {
    const { environment = [] } = page
    expect(environment.filter((it, i) => !settingDescriptions[it] || environment.indexOf(it) < i)).toEqual([])
    expect(Object.keys(page.exitCodes ?? {}).filter((it) => exitCodeMeanings[Number(it)] === undefined)).toEqual([])
  })

  test('fits a page of 120 columns', async () => {
    const long = (await runFieldstone(['help', name])).out.split('\n').filter((line) => line.length > 120)
    expect(long).toEqual([])
  })
})

test('the same flag takes a value at every command, or at none', () => {
  const kinds = new Map<string, Set<boolean>>()
  for (const [flag, { valueName }] of commands.flatMap(([, { options }]) => Object.entries(options)))
    kinds.set(flag, (kinds.get(flag) ?? new Set()).add(valueName === undefined))
  expect([...kinds].filter(([, it]) => it.size > 1)).toEqual([])
})

test('every variable that the configuration reads has a sentence, and `help settings` lists them all', async () => {
  const source = await Bun.file(join(import.meta.dir, '..', '..', 'src', 'config.ts')).text()
  const read = new Set(
    [...source.matchAll(/env\.([A-Z][A-Z_]{4,})|'((?:FIELDSTONE|ANTHROPIC|OTEL|[A-Z]+_API)_[A-Z_]+)'/g)].map(
      ([, one, other]) => (one ?? other)!,
    ),
  )
  expect(read.size).toBeGreaterThan(20)
  expect([...read].filter((name) => settingDescriptions[name] === undefined)).toEqual([])
  const { out } = await runFieldstone(['help', 'settings'])
  expect(Object.keys(settingDescriptions).filter((name) => !out.includes(name))).toEqual([])
})

test('the page of a command is also the help of its actions, and a misspelled one gets a suggestion', async () => {
  expect(await runFieldstone(['help', 'pack', 'starter'])).toEqual(await runFieldstone(['help', 'pack']))
  const { code, err } = await runFieldstone(['help', 'pack', 'startr'])
  expect([code, err]).toEqual([64, expect.stringContaining('Did you mean `fieldstone pack starter`?')])
})

test('the overview begins with examples that the parser takes', async () => {
  const { out } = await runFieldstone(['--help'])
  const lines = [...out.slice(0, out.indexOf('Commands:')).matchAll(/^ {2}fieldstone (\S.*)$/gm)].map(
    ([, line]) => line!,
  )
  expect(lines.length).toBeGreaterThanOrEqual(3)
  for (const line of lines) expect((await runFieldstone([...wordsOf(line), '--help'])).code).toBe(0)
})

test('every exit code has its meaning in the overview', async () => {
  const { out } = await runFieldstone(['--help'])
  for (const code of Object.values(exitCodes)) expect(out).toMatch(new RegExp(`^ {2}${code} +\\S`, 'm'))
})

test('the manual has every command, flag and variable', () => {
  const plain = manualPage('1.2.3').replaceAll('\\-', '-')
  for (const name of commandNames) expect(plain).toContain(`\n.SS ${name}\n`)
  for (const flag of allFlags.keys()) expect(plain).toContain(`\n.B --${flag}`)
  for (const name of Object.keys(settingDescriptions)) expect(plain).toContain(`\n.B ${name}\n`)
  expect(plain).not.toMatch(/\bundefined\b/)
})

test.skipIf(!Bun.which('man'))('the manual is read by man without a warning', async () => {
  const file = join(folder, 'fieldstone.1')
  await Bun.write(file, `${manualPage('1.2.3')}\n`)
  const { exitCode, stdout, stderr } = Bun.spawnSync(['man', '--warnings=w', '-l', file], {
    env: { ...process.env, MANPAGER: 'cat', MANWIDTH: '120', LC_ALL: 'C' },
  })
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  expect(stdout.toString()).toContain('FIELDSTONE(1)')
})

/** The words of a command line as a shell parses them, up to a redirection. */
function wordsOf(line: string): string[] {
  const command = line.split(/ [|>] /)[0]!
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
}
