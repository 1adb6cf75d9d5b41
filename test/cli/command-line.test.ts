import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isToken } from '../../src/auth/token.ts'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { commandNames } from '../../src/cli/help.ts'
import type { CommandPage } from '../../src/cli/command-page.ts'
import { commandPages } from '../../src/cli/command-pages.ts'
import type { Environment } from '../../src/config.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

function fail(): never {
  throw new TypeError('a fault of ours')
}

/** Runs a command line without an app. Returns its output and exit code. */
async function runFieldstone(
  words: string[],
  env: Environment = {},
): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' }
  const code = await runCommandLine(words, {
    env: { FIELDSTONE_DATA: join(folder, 'data'), ...env },
    print: (line) => {
      output.out += `${line}\n`
    },
    printError: (line) => {
      output.err += `${line}\n`
    },
    appOptions: fail,
    unpackEmbedded: fail,
    version: '1.2.3',
    buildInfo: () => ({ commit: 'c0ffee', target: 'bun-linux-x64', embedded: null }),
  })
  return { code, ...output }
}

describe('help', () => {
  test.each([[['--help']], [['-h']], [['help']]])('%j lists every command and the exit codes', async (words) => {
    const { code, out, err } = await runFieldstone(words)
    expect([code, err]).toEqual([0, ''])
    for (const name of commandNames) expect(out).toContain(`fieldstone ${name}`)
    for (const exit of ['0 ', '1 ', '64 ', '70 ', '78 ', '130 ']) expect(out).toContain(`\n  ${exit}`)
  })

  test.each(['serve', 'token', 'version'])(
    'of %s is the same with both commands, and starts with the usage',
    async (name) => {
      const [one, other] = [await runFieldstone(['help', name]), await runFieldstone([name, '--help'])]
      expect(one).toEqual(other)
      expect(one.out).toStartWith(`fieldstone ${name}`)
    },
  )

  test('of a command shows its examples before its options', async () => {
    const { out } = await runFieldstone(['help', 'serve'])
    expect(out.indexOf('Examples:')).toBeWithin(0, out.indexOf('Options:'))
  })

  test('of an unknown command, such as __proto__, is a usage error', async () => {
    for (const name of ['nonsense', '__proto__', 'constructor', 'toString'])
      expect(await runFieldstone(['help', name])).toMatchObject({
        code: 64,
        out: '',
        err: expect.stringContaining(`Unknown command "${name}"`),
      })
  })

  test('does not read the configuration', async () =>
    expect((await runFieldstone(['serve', '--help'], { FIELDSTONE_PORT: 'x' })).code).toBe(0))
})

describe('version', () => {
  test('prints the version', async () =>
    expect(await runFieldstone(['version'])).toEqual({ code: 0, out: 'fieldstone 1.2.3\n', err: '' }))
  test('is also available as --version', async () =>
    expect(await runFieldstone(['--version'])).toEqual(await runFieldstone(['version'])))
  test('--json prints build details', async () =>
    expect(JSON.parse((await runFieldstone(['version', '--json'])).out)).toMatchObject({
      version: '1.2.3',
      commit: 'c0ffee',
      target: 'bun-linux-x64',
      bun: Bun.version,
    }))
})

describe('a wrong command line ends with exit code 64, a message, and a pointer to the help', () => {
  const wrong = [
    ['serv'],
    ['SERVE'],
    ['__proto__'],
    ['constructor'],
    [''],
    ['--nonsense'],
    ['serve', '--port'],
    ['serve', '--json=x'],
    ['-x'],
    ['token'],
    ['token', 'old'],
    ['token', 'new', '--nam', 'x'],
  ]
  test.each(wrong.map((words) => [words]))('%j', async (words) => {
    const { code, out, err } = await runFieldstone(words)
    expect([code, out]).toEqual([64, ''])
    expect(err).toMatch(/^\S.{20,}\n$/s)
    expect(err).toMatch(/fieldstone (--help|token new)/)
  })
})

const mostWords = Object.entries<CommandPage>(commandPages)
  .map(([name, { maxArguments = 0 }]) => [name, maxArguments] as const)
  .filter(([, words]) => Number.isFinite(words))
test.each(mostWords)('`fieldstone %s` rejects more than %i arguments before it does anything', async (name, most) => {
  const { code, out, err } = await runFieldstone([name, ...Array(most).fill('serve'), 'beyond'])
  expect([code, out, err]).toEqual([64, '', expect.stringContaining('Unexpected argument "beyond"')])
  expect(err).toContain(`fieldstone ${name}`)
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

describe('with --json, an error of the command line is the error object of the API, as one line on stderr', () => {
  const errorOf = async (words: string[], env: Environment = {}) => {
    const { code, out, err } = await runFieldstone(words, env)
    expect([out, err.trim().split('\n').length]).toEqual(['', 1])
    return [code, (JSON.parse(err) as { detail: Record<string, unknown> }).detail] as const
  }

  test.each([
    [['fech', '--json']],
    [['fetch', '--json', '--filds', 'x']],
    [['serve', '--json']],
    [['token', '--json']],
  ])('a usage error: %j', async (words) => {
    const plain = (await runFieldstone(words.filter((word) => word !== '--json'))).err.trim()
    const [code, detail] = await errorOf(words)
    expect([code, detail]).toEqual([
      64,
      {
        error: 'usage_error',
        message: words.includes('serve') || words.includes('token') ? expect.any(String) : plain,
        retryable: false,
        documentation_url: '/guide/errors#usage_error',
      },
    ])
  })

  test('an invalid configuration, and a bug', async () => {
    expect(await errorOf(['fields', '--json'], { FIELDSTONE_PORT: 'x' })).toMatchObject([78, { error: 'config_error' }])
    expect(await errorOf(['fields', '--json'])).toMatchObject([70, { error: 'internal_error', retryable: false }])
  })
})

test('an unknown flag gets its correction on one line', async () => {
  expect((await runFieldstone(['serve', '--prot', '80'])).err).toBe(
    "Unknown option '--prot'. Did you mean --port? See `fieldstone --help`.\n",
  )
})

test('a coordinate that is not the value of an option gets an error that says so', async () => {
  expect((await runFieldstone(['fetch', '39.74', '-104.99'])).err).toBe(
    'A coordinate is the value of an option, such as `--at 39.74,-104.99`. See `fieldstone --help`.\n',
  )
})

describe('a configuration that cannot be used ends with exit code 78', () => {
  test('with all errors, one per line', async () => {
    const { code, out, err } = await runFieldstone(['serve'], {
      FIELDSTONE_PORT: 'x',
      FIELDSTONE_AUTH: 'x',
      FIELDSTONE_TOKEN: 'fst_pat_x',
    })
    expect([code, out, err.split('\n').length]).toEqual([78, '', 4])
    expect(err).not.toContain('fst_pat_x')
  })

  test('if the --env-file is missing or a folder', async () => {
    mkdirSync(join(folder, 'a-folder'))
    for (const path of [join(folder, 'nothing'), join(folder, 'a-folder')]) {
      const { code, err } = await runFieldstone(['serve', '--env-file', path])
      expect([code, err.startsWith(`Cannot read the --env-file ${path}: `)]).toEqual([78, true])
    }
  })

  test('if the data folder is a file', async () => {
    writeFileSync(join(folder, 'file'), '')
    const { code, err } = await runFieldstone(['token', 'new', '--data', join(folder, 'file')])
    expect([code, err.split('\n').length]).toEqual([78, 2])
  })
})

describe('an unknown setting', () => {
  const slips = [
    ['FIELDSTONE_OFLINE', 'FIELDSTONE_OFFLINE'],
    ['FIELDSTONE_PROT', 'FIELDSTONE_PORT'],
    ['FIELDSTONE_RATELIMIT', 'FIELDSTONE_RATE_LIMIT'],
    ['FIELDSTON_DATA', 'FIELDSTONE_DATA'],
    ['fieldstone_token', 'FIELDSTONE_TOKEN'],
    ['FIELDSTONE_HOSTS', 'FIELDSTONE_HOST'],
    ['FIELDSTONE_BACKUP_DIRS', 'FIELDSTONE_BACKUP_DIR'],
  ] as const
  test.each(slips)(
    'that is a misspelled setting is rejected by every command that reads settings: %s',
    async (name, meant) => {
      for (const words of [
        ['serve'],
        ['token', 'new'],
        ['fetch', '--at', '39,-104'],
        ['backup', 'x.tar'],
        ['doctor'],
        ['healthcheck'],
      ]) {
        expect(await runFieldstone(words, { [name]: '1', FIELDSTONE_LOG: 'error' })).toEqual({
          code: 64,
          out: '',
          err: `Unknown setting ${name}. Did you mean ${meant}? \`fieldstone help settings\` lists all settings. See /guide/settings on a running server.\n`,
        })
      }
      expect((await runFieldstone(['version'], { [name]: '1' })).code).toBe(0)
    },
  )

  test('in the --env-file is rejected, with all others', async () => {
    writeFileSync(join(folder, 'slips'), 'FIELDSTONE_OFLINE=1\nFIELDSTONE_LOGS=error\n')
    const { code, err } = await runFieldstone(['serve', '--env-file', join(folder, 'slips')])
    expect([
      code,
      err
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[2]),
    ]).toEqual([64, ['FIELDSTONE_LOGS.', 'FIELDSTONE_OFLINE.']])
  })

  test('that resembles no setting is reported by the server, which starts anyway; other names are ignored', async () => {
    const { err } = await runFieldstone(['serve'], {
      FIELDSTONE_PORT: '0',
      FIELDSTONE_SERVICE_HOST: '10.0.0.1',
      FIELDSTONE_LOG: 'error',
      OTHER: '1',
      FIELDS: '1',
      CENSUS_APIKEY: 'x',
    })
    expect(err.split('\n')[0]).toBe(
      'The unknown setting FIELDSTONE_SERVICE_HOST was ignored. `fieldstone help settings` lists all settings.',
    )
    expect(err).toContain('a fault of ours')
    expect(['FIELDSTONE_LOG is', 'OTHER', 'FIELDS is', 'CENSUS'].filter((it) => err.includes(it))).toEqual([])
  })
})

describe('a setting', () => {
  const invalidPortOf = async (words: string[], env: Environment) =>
    /FIELDSTONE_PORT is "([^"]*)"/.exec((await runFieldstone(words, env)).err)?.[1]
  writeFileSync(join(folder, 'env'), '# comment\nFIELDSTONE_PORT=in-file\nexport FIELDSTONE_LOG="error"\n')
  const file = ['--env-file', join(folder, 'env')]

  test('is read from the --env-file', async () => expect(await invalidPortOf(['serve', ...file], {})).toBe('in-file'))
  test('in the environment overrides the file', async () =>
    expect(await invalidPortOf(['serve', ...file], { FIELDSTONE_PORT: 'in-environment' })).toBe('in-environment'))
  test('given as a flag overrides the environment', async () =>
    expect(await invalidPortOf(['serve', ...file, '--port', 'in-flag'], { FIELDSTONE_PORT: 'in-environment' })).toBe(
      'in-flag',
    ))
})

test('an internal error ends with exit code 70 and a stack trace', async () => {
  const { code, out, err } = await runFieldstone(['serve', '--port', '0'])
  expect([code, out]).toEqual([70, ''])
  expect(err).toContain('a fault of ours')
  expect(err).toContain('command-line.test.ts')
})

test.each(['', ' ', 'x'.repeat(101)])('`token new` rejects the name %j', async (name) => {
  expect(await runFieldstone(['token', 'new', '--name', name])).toEqual({
    code: 64,
    out: '',
    err: '--name must have 1 to 100 characters.\n',
  })
})

test.each([
  ['--live', '--recover'],
  ['--live', '--clock'],
  ['--recover', '--json'],
])('`doctor` rejects the combination of %s and %s', async (one, other) => {
  expect(await runFieldstone(['doctor', one, other])).toMatchObject({
    code: 64,
    err: expect.stringContaining('cannot be combined'),
  })
})

test.each(['token new', 'user link', 'user add ada', 'nodes', 'backup x.tar'])(
  'in a folder without data, `%s` says how to name the folder, and creates nothing',
  async (line) => {
    const data = join(folder, 'nothing')
    expect(await runFieldstone(line.split(' '), { FIELDSTONE_DATA: data })).toEqual({
      code: 78,
      out: '',
      err: expect.stringMatching(
        /^There is no Fieldstone data in \S+nothing\. Set --data to .* is starting now, wait /,
      ),
    })
    expect(existsSync(data)).toBe(false)
  },
)

test('`token new` prints only a token, and a new one each time', async () => {
  openState(join(folder, 'data')).close()
  const outs = [await runFieldstone(['token', 'new']), await runFieldstone(['token', 'new', '--name', 'script'])]
  expect(outs.map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [0, ''],
  ])
  expect(outs.map(({ out }) => isToken(out.trim()))).toEqual([true, true])
  expect(outs[0]!.out).not.toBe(outs[1]!.out)
})
