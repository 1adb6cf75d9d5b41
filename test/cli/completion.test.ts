import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { datasets, fields, presets } from '../../catalog/contents.ts'
import { allScopes } from '../../src/auth/scope.ts'
import { completionShells } from '../../src/cli/completion.ts'
import type { CommandPage } from '../../src/cli/command-page.ts'
import { commandPages } from '../../src/cli/command-pages.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
writeFileSync(join(folder, 'places.csv'), '')
const commands = Object.entries(commandPages) as [name: string, page: CommandPage][]

/** The completions of bash for the last of these words. */
function completionsOf(...words: string[]): string[] {
  const script = `${completionShells.bash()}\nCOMP_WORDS=(fieldstone ${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length}\n_fieldstone\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`
  const { exitCode, stdout, stderr } = Bun.spawnSync(['bash', '--norc', '-u', '-c', script], { cwd: folder })
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .sort()
}

describe.skipIf(!Bun.which('bash'))('in bash', () => {
  test('the first argument completes to a command', () =>
    expect(completionsOf('')).toEqual(Object.keys(commandPages).sort()))
  test('a prefix is completed', () => expect(completionsOf('ver')).toEqual(['version']))
  test.each(commands)('after %s, its flags are offered', (name, { options }) => {
    expect(completionsOf(name, '--')).toEqual(
      [...Object.keys(options), 'env-file', 'help'].map((flag) => `--${flag}`).sort(),
    )
  })
  test.each(commands.filter(([, { actions }]) => actions))('after %s, its actions are offered', (name, { actions }) =>
    expect(completionsOf(name, '')).toEqual([...actions!].sort()),
  )
  test('after help, the commands are offered', () => expect(completionsOf('help', 'vers')).toEqual(['version']))
  test('a flag with known values offers them', () =>
    expect(completionsOf('run', 'x.csv', '--kind', 'geo')).toEqual(['geocode_batch']))
  test('fields, presets and scopes are offered, also after a comma', () => {
    expect(completionsOf('fetch', '--preset', 'terr')).toEqual(['terrain'])
    expect(completionsOf('fetch', '--fields', 'slope_d')).toEqual(['slope_degrees'])
    expect(completionsOf('run', '--fields', 'county,slope_d')).toEqual(['county,slope_degrees'])
    expect(completionsOf('login', '--scopes', 'fetch,geo')).toEqual(['fetch,geocode'])
  })
  test('a flag that takes a file offers files, and one that takes text offers nothing', () => {
    expect(completionsOf('run', '--out', 'pl')).toEqual(['places.csv'])
    expect(completionsOf('token', 'new', '--name', 'pl')).toEqual([])
  })
  test('datasets are offered where a command takes them, beside files', () => {
    expect(completionsOf('pack', 'fetch', 'epa_ecoregions_l3')).toEqual(['epa_ecoregions_l3'])
    expect(completionsOf('pack', 'build', 'pl')).toEqual(['places.csv'])
    expect(completionsOf('pack', 'build', 'address-r')).toEqual(['address-ranges'])
    expect(completionsOf('doctor', '--live', 'fema_nfhl_z')).toEqual(['fema_nfhl_zones'])
    expect(completionsOf('lookup', 'pl')).toEqual([])
  })
  test('a file argument offers files', () => expect(completionsOf('run', 'pl')).toEqual(['places.csv']))
  test('without a command, the flags of serve are offered', () => expect(completionsOf('--po')).toEqual(['--port']))
})

describe.each(['zsh', 'fish'] as const)('for %s', (shell) => {
  test('every command and flag is named', () => {
    const text = completionShells[shell]()
    for (const [name, { options }] of commands) {
      expect(text).toContain(name)
      for (const flag of Object.keys(options)) expect(text).toContain(shell === 'zsh' ? `--${flag}[` : `-l ${flag} `)
    }
  })
  test('fields, presets, scopes and datasets are offered', () => {
    const text = completionShells[shell]()
    const list = (names: string) => (shell === 'zsh' ? `:_sequence compadd - ${names}` : `(__fish_append , ${names}`)
    for (const names of [fields.map(({ name }) => name), allScopes]) expect(text).toContain(list(names.join(' ')))
    const presetNames = Object.keys(presets).join(' ')
    expect(text).toContain(shell === 'zsh' ? `:(${presetNames})` : `-x -a '${presetNames}'`)
    const datasetNames = Object.keys(datasets).toSorted().join(' ')
    expect(text).toContain(shell === 'zsh' ? `'*:argument:{compadd - ${datasetNames}}'` : `-a '${datasetNames}'`)
  })
  test.skipIf(!Bun.which(shell))('the shell parses it', () => {
    const { exitCode, stderr } = Bun.spawnSync([shell, '-n', '/dev/stdin'], {
      stdin: Buffer.from(completionShells[shell]()),
    })
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
  })
})

test('`fieldstone completion bash` prints the script; an unknown shell is rejected with exit code 64', async () => {
  expect(await startFieldstone(['completion', 'bash'], {}, folder).end()).toEqual({
    code: 0,
    out: `${completionShells.bash()}\n`,
    err: '',
  })
  for (const words of [['completion'], ['completion', 'tcsh'], ['completion', '__proto__']]) {
    const { code, out, err } = await startFieldstone(words, {}, folder).end()
    expect([code, out, err]).toEqual([64, '', expect.stringContaining('fieldstone completion bash|zsh|fish')])
  }
})
