import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askMax_ms } from '../../src/ask/ask.ts'
import { batchMax_ms } from '../../src/fetch/batch.ts'
import { fetchMax_ms } from '../../src/fetch/fetch.ts'
import { configOf } from '../../src/config.ts'
import { commandPages } from '../../src/cli/command-pages.ts'
import { settingDescriptions } from '../../src/cli/settings.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { openTestService } from '../support/test-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const deploy = join(import.meta.dir, '..', '..', 'scripts', 'deploy')
const textOf = (name: string) => readFileSync(join(deploy, name), 'utf8')
const folder = temporaryFolder()

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

test('the supervisors wait longer than a stop takes, and the guide says how long locations and questions take', () => {
  const guide = readFileSync(join(deploy, '..', '..', 'src', 'web', 'guide', 'operate.md'), 'utf8')
  const { stop_s } = configOf({})
  const limits_s = [
    /TimeoutStopSec=(\d+)/.exec(textOf('fieldstone.service')),
    /--stop-timeout (\d+)/.exec(textOf('Dockerfile')),
    /--stop-timeout (\d+)/.exec(guide),
  ].map((found) => Number(found![1]))
  for (const limit_s of limits_s) expect(limit_s).toBeGreaterThan(stop_s + 5)
  for (const text of [textOf('fieldstone.service'), textOf('Dockerfile'), guide])
    expect(text).toContain(`${stop_s} seconds`)
  expect(guide).toContain(`A location takes at most ${fetchMax_ms / 1000} seconds`)
  expect(guide).toContain(`a question at most ${askMax_ms / 1000} seconds. With \`FIELDSTONE_STOP_SECONDS=115\`,`)
  expect(Math.max(fetchMax_ms, batchMax_ms, askMax_ms)).toBeLessThan(115_000)
})

test('the supervisors do not restart the service after a configuration error', () => {
  const unit = textOf('fieldstone.service')
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

test('the files for Docker Compose and Kubernetes are valid, name existing settings and paths, and wait for a stop', async () => {
  const compose = Bun.YAML.parse(textOf('compose.yml').replaceAll(/\$\{[^}]*\}/g, 'password')) as {
    services: Record<string, { environment?: Record<string, string>; stop_grace_period?: string; volumes?: string[] }>
    configs: { balancer: { content: string } }
  }
  const [deployment] = Bun.YAML.parse(textOf('kubernetes.yml')) as [
    {
      spec: {
        template: {
          spec: {
            terminationGracePeriodSeconds: number
            containers: {
              env: { name: string }[]
              readinessProbe: { httpGet: { path: string } }
              livenessProbe: { httpGet: { path: string } }
            }[]
          }
        }
      }
    },
  ]
  const pod = deployment.spec.template.spec
  const [container] = pod.containers
  const servers = [compose.services['fieldstone-a']!, compose.services['fieldstone-b']!]
  const settings = [...Object.keys(servers[0]!.environment!), ...container!.env.map(({ name }) => name)]
  expect(settings).toContain('FIELDSTONE_DATABASE')
  expect(settings.filter((name) => settingDescriptions[name] === undefined)).toEqual([])
  for (const server of servers) {
    expect(configOf(server.environment!).database?.address).toBe('postgres://database:5432/fieldstone')
    expect(server.volumes).toEqual(['/data'])
    expect(parseInt(server.stop_grace_period!)).toBeGreaterThan(configOf({}).stop_s + 5)
  }
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(configOf({}).stop_s + 5)
  const checked = [
    container!.readinessProbe.httpGet.path,
    container!.livenessProbe.httpGet.path,
    /httpchk GET (\S+)/.exec(compose.configs.balancer.content)![1]!,
  ]
  expect(checked).toEqual(['/readyz', '/healthz', '/readyz'])
})

test.skipIf(!Bun.which('promtool'))(
  'promtool accepts the alert rules, the scrape configuration and the metrics (skipped without it)',
  async () => {
    const check = (words: string[], input = '') => {
      const { exitCode, stdout, stderr } = Bun.spawnSync(['promtool', 'check', ...words], { stdin: Buffer.from(input) })
      return [exitCode, exitCode === 0 ? '' : `${stdout.toString()}${stderr.toString()}`]
    }
    expect(check(['rules', join(deploy, 'alerts.yml')])).toEqual([0, ''])
    const comment = textOf('alerts.yml').match(/^#   .*$/gm)!
    writeFileSync(join(folder, 'prometheus.yml'), comment.map((line) => `${line.slice(4)}\n`).join(''))
    expect(check(['config', '--syntax-only', join(folder, 'prometheus.yml')])).toEqual([0, ''])
    const service = openTestService()
    await service.send('/v1/fetch?lat=39.7392&lng=-104.9903&fields=county')
    const metrics = await (await service.send('/metrics')).text()
    await service.close()
    expect(metrics).toContain('fieldstone_fields_total')
    expect(check(['metrics'], metrics)).toEqual([0, ''])
  },
)

test('the file for Docker Compose with one server has a volume for its data, existing settings, and waits for a stop', () => {
  const { services, volumes } = Bun.YAML.parse(textOf('compose-one.yml')) as {
    services: Record<string, { environment: Record<string, string>; volumes: string[]; stop_grace_period: string }>
    volumes: Record<string, unknown>
  }
  const [server] = Object.values(services)
  expect(Object.keys(services)).toEqual(['fieldstone'])
  expect(Object.keys(volumes)).toEqual(['data'])
  expect(server!.volumes).toEqual(['data:/data'])
  expect(Object.keys(server!.environment).filter((name) => settingDescriptions[name] === undefined)).toEqual([])
  expect(parseInt(server!.stop_grace_period)).toBeGreaterThan(configOf({}).stop_s + 5)
})
