import { afterAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandPages } from '../../src/cli/command-pages.ts'
import { settingDescriptions } from '../../src/cli/settings.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { newFolder } from '../cli/fieldstone.ts'

const deploy = join(import.meta.dir, '..', '..', 'scripts', 'deploy')
const textOf = (name: string) => readFileSync(join(deploy, name), 'utf8')
const { folder, remove } = newFolder()
afterAll(remove)

test('the container and the unit use existing commands and settings', () => {
  const [container, unit, environment] = ['Dockerfile', 'fieldstone.service', 'environment'].map(textOf)
  expect(container).toContain('CMD ["/usr/local/bin/fieldstone", "healthcheck"]')
  expect(container).toMatch(/^USER 65532:65532$/m)
  expect(Object.keys(commandPages)).toContain('healthcheck')
  const named = [
    ...`${container}\n${unit}\n${environment}`.matchAll(/\b((?:FIELDSTONE|CENSUS|NLR|AIRNOW)_[A-Z_]+)=/g),
  ].map(([, name]) => name!)
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => settingDescriptions[name] === undefined)).toEqual([])
})

test('the supervisors wait longer than the service drains, and do not restart it after a configuration error', () => {
  const serve = readFileSync(join(deploy, '..', '..', 'src', 'cli', 'serve.ts'), 'utf8')
  const drain_s = [...serve.matchAll(/rain_ms = (\d+)_000/g)].reduce((sum, [, seconds]) => sum + Number(seconds), 0)
  const unit = textOf('fieldstone.service')
  expect(drain_s).toBeGreaterThan(0)
  expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)![1])).toBeGreaterThan(drain_s)
  expect(Number(/--stop-timeout (\d+)/.exec(textOf('Dockerfile'))![1])).toBeGreaterThan(drain_s)
  expect(unit).toContain('Restart=always')
  expect(unit).toContain(`RestartPreventExitStatus=${exitCodes.usage} ${exitCodes.config}`)
})

test.skipIf(!Bun.which('systemd-analyze'))('systemd verifies the unit and rates its exposure as low', () => {
  const file = join(folder, 'fieldstone.service')
  writeFileSync(
    file,
    textOf('fieldstone.service')
      .replace('/usr/local/bin/fieldstone serve', '/bin/true')
      .replace(/^Documentation=.*$/m, ''),
  )
  const verified = Bun.spawnSync(['systemd-analyze', 'verify', file])
  expect([verified.exitCode, verified.stderr.toString()]).toEqual([0, ''])
  const { exitCode, stdout } = Bun.spawnSync([
    'systemd-analyze',
    'security',
    '--offline=true',
    '--threshold=15',
    '--no-pager',
    file,
  ])
  expect([exitCode, /Overall exposure level for \S+: ([\d.]+)/.exec(stdout.toString())?.[1]]).toEqual([
    0,
    expect.stringMatching(/^1\.[0-5]$/) as unknown as string,
  ])
})
