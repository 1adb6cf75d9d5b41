import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openOnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { parseExposition } from './scrape.ts'

const folder = join(import.meta.dir, '..', '..', 'scripts', 'deploy')
const dashboard = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8')) as {
  panels: { title: string; targets?: { expr: string }[] }[]
}
const alerts = Bun.YAML.parse(readFileSync(join(folder, 'alerts.yml'), 'utf8')) as {
  groups: {
    rules: {
      alert: string
      expr: string
      for?: string
      labels: { severity: string }
      annotations: { summary: string; description: string }
    }[]
  }[]
}
const service = openOnlineService()
await service.post('/v1/fetch', { ...testPlaces.kansas, fields: ['nwi_wetland_type'] })
const { lines, types } = parseExposition(await (await service.send('/metrics')).text())
await service.close()
/** Prometheus adds the labels job and instance. */
const labelsOf = (metric: string) =>
  new Set([
    'job',
    'instance',
    ...(service.app.telemetry.families.find(({ name }) => name === metric)?.labelNames ?? []),
    ...lines.flatMap(({ name, labels }) => (name === metric || name === `${metric}_bucket` ? Object.keys(labels) : [])),
  ])
const expressions = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
]

test.each(expressions)('%s uses only existing metrics and labels', (_title, expr) => {
  const used = [...expr.matchAll(/\b((?:fieldstone|process)_\w+)(?:\{([^}]*)\})?/g)].map(([, name, labels = '']) => ({
    metric: types.has(name!) ? name! : name!.replace(/_(bucket|sum|count)$/, ''),
    labels,
  }))
  expect(used.filter(({ metric }) => !types.has(metric))).toEqual([])
  expect(used.length > 0 || /\bup\b/.test(expr)).toBe(true)
  for (const { metric, labels } of used) {
    for (const [, label] of labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) expect([...labelsOf(metric)]).toContain(label!)
  }
  const known = used.flatMap(({ metric }) => [...labelsOf(metric)])
  for (const [, labels] of expr.matchAll(/\bby\s*\(([^)]*)\)/g))
    for (const label of labels!.split(',')) expect(known).toContain(label.trim())
})

test('every alert rule has a severity, a summary and a description', () => {
  const rules = alerts.groups.flatMap((group) => group.rules)
  expect(rules.length).toBeGreaterThan(8)
  for (const { labels, annotations } of rules) {
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/\w/)
    expect(annotations.description.length).toBeGreaterThan(40)
  }
})
