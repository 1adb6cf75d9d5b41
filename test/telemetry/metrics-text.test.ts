import { describe, expect, test } from 'bun:test'
import {
  createCounter,
  expositionOf,
  mergeExpositions,
  createGauge,
  createHistogram,
  createSeries,
  seriesMax,
} from '../../src/telemetry/metrics.ts'
import { parseExposition, metricValueOf } from './scrape.ts'

describe('a counter', () => {
  test('has its help, its type and a line per set of labels', async () => {
    const counter = createCounter('things_total', 'Things.', ['kind', 'outcome'])
    counter.withLabels('big', 'ok').value++
    counter.withLabels('big', 'ok').value += 2
    counter.withLabels('small', 'ok').value++
    expect(await expositionOf([counter])).toBe(
      '# HELP things_total Things.\n# TYPE things_total counter\nthings_total{kind="big",outcome="ok"} 3\nthings_total{kind="small",outcome="ok"} 1\n',
    )
  })

  test.each(['"', '\\', 'a\nb', '}', '{x="y"}', ',', 'ä', '', '__proto__', 'constructor'])(
    'escapes the label value %j so that it can be read back',
    async (value) => {
      const counter = createCounter('things_total', 'Things.', ['kind'])
      counter.withLabels(value).value++
      expect(parseExposition(await expositionOf([counter])).lines).toEqual([
        { name: 'things_total', labels: { kind: value }, value: 1 },
      ])
    },
  )

  test('escapes line breaks in its help', async () => {
    expect(await expositionOf([createCounter('things_total', 'One \\ line\nand another.', [])])).toBe(
      '# HELP things_total One \\\\ line\\nand another.\n# TYPE things_total counter\n',
    )
  })
})

describe('the metrics of several processes', () => {
  test('have each metric once, with a line for each process and set of labels', async () => {
    const expositionWith = async (process: string, value: number) => {
      const counter = createCounter('things_total', 'Things.', ['kind'])
      counter.withLabels('{x="y"} z').value += value
      const gauge = createGauge('fill', 'How full.', () => value)
      return { process, text: await expositionOf([counter, gauge, createCounter('none_total', 'None.', [])]) }
    }
    const merged = mergeExpositions([await expositionWith('1', 3), await expositionWith('2', 4)])
    expect(parseExposition(merged).lines).toEqual([
      { name: 'things_total', labels: { process: '1', kind: '{x="y"} z' }, value: 3 },
      { name: 'things_total', labels: { process: '2', kind: '{x="y"} z' }, value: 4 },
      { name: 'fill', labels: { process: '1' }, value: 3 },
      { name: 'fill', labels: { process: '2' }, value: 4 },
    ])
    expect(merged.match(/^# HELP .+\n# TYPE .+$/gm)).toHaveLength(3)
  })
})

describe('a histogram', () => {
  test('counts each duration in its bucket and all larger ones, and sums them', async () => {
    const histogram = createHistogram('time_seconds', 'Time.', ['host'])
    for (const seconds of [0.0001, 0.0005, 0.00051, 0.3, 59, 61, 1000]) histogram.withLabels('a').observe(seconds)
    const { lines } = parseExposition(await expositionOf([histogram]))
    const below = (le: string) => metricValueOf(lines, 'time_seconds_bucket', { host: 'a', le })
    expect([below('0.0005'), below('0.001'), below('0.25'), below('0.5'), below('60'), below('+Inf')]).toEqual([
      2, 3, 3, 4, 5, 7,
    ])
    expect(metricValueOf(lines, 'time_seconds_count', { host: 'a' })).toBe(7)
    expect(metricValueOf(lines, 'time_seconds_sum', { host: 'a' })).toBeCloseTo(1120.30111, 5)
  })
})

describe('a gauge', () => {
  test('is read at each scrape', async () => {
    let value = 1
    const gauge = createGauge('now', 'Now.', () => value)
    value = 2.5
    expect(parseExposition(await expositionOf([gauge])).lines).toEqual([{ name: 'now', labels: {}, value: 2.5 }])
  })

  test('that throws has no line, and the other metrics keep theirs', async () => {
    const broken = createGauge('broken', 'Broken.', () => {
      throw new Error('The disk is gone.')
    })
    expect(parseExposition(await expositionOf([broken, createGauge('whole', 'Whole.', () => 1)])).lines).toEqual([
      { name: 'whole', labels: {}, value: 1 },
    ])
  })

  test.each([
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [1e21, '1e+21'],
    [-0.5, '-0.5'],
  ])('%p is formatted as %s', async (value, text) => {
    expect(await expositionOf([createGauge('it', 'It.', () => value)])).toEndWith(`\nit ${text}\n`)
  })
})

test('a metric has a maximum number of label sets; further sets share the series with the label other', () => {
  const series = createSeries(['host', 'outcome'], () => ({ n: 0 }))
  for (let i = 0; i < seriesMax + 500; i++) series.withLabels(`host${i}`, 'ok').n++
  for (let i = 0; i < 500; i++) series.withLabels('host0', `outcome${i}`).n++
  series.withLabels('host1', 'ok').n++
  expect(series.all()).toHaveLength(seriesMax + 1)
  expect(series.all().at(-1)).toEqual([{ host: 'other', outcome: 'other' }, { n: 1000 }])
  expect(series.withLabels('host1', 'ok').n).toBe(2)
})
