import { describe, expect, test } from 'bun:test'
import type { FallbackSpec, ReadSpec } from '../../src/catalog/records.ts'
import { UpstreamError } from '../../src/model/error.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { deskOf, failing, giving, toronto, way } from './fake-context.ts'

const named = (dataset: string) => ({ dataset, op: 'attribute', attribute: 'IT' }) as const
const datasets = {
  main: datasetOf({ service: 'main' }),
  second: datasetOf({ service: 'second' }),
  third: datasetOf({ service: 'third' }),
  alaskan: datasetOf({ service: 'alaskan', coverage: { regions: ['ak'], note: null } }),
  computed: datasetOf({ service: 'computed', shape: 'document', serve: [{ driver: 'computed' }] }),
}
const broken = failing(new UpstreamError('timeout', 'It took too long.'))
const nothing = giving({ IT: null })
/** One field, `it`, with these fallbacks. */
const withFallbacks = (read: Partial<ReadSpec>, ...fallback: FallbackSpec[]) =>
  contentsOf(
    [
      fieldOf('it', { ...named('main'), ...read, fallback } as ReadSpec),
      fieldOf('level', named('third'), { type: 'float', unit: 'm' }),
    ],
    { datasets },
  )

describe('a fallback is asked', () => {
  test('when the read before it has failed', async () => {
    const { ask } = deskOf(withFallbacks({}, named('second')), {
      main: [broken],
      second: [giving({ IT: 'x' }, { vintage: '2019' })],
    })
    expect(await ask('it')).toMatchObject({ status: 'ok', value: 'x', source: 'second', vintage: '2019' })
  })

  test('when the dataset before it has no way here', async () => {
    expect(await deskOf(withFallbacks({}, named('second')), { second: [giving({ IT: 'x' })] }).value('it')).toBe('x')
  })

  test('when the value before it was refused by the operator', async () => {
    expect(
      await deskOf(withFallbacks({ cast: 'integer' }, named('second')), {
        main: [giving({ IT: 'no number' })],
        second: [giving({ IT: 'x' })],
      }).value('it'),
    ).toBe('x')
  })

  test('in the order they are written, until one answers', async () => {
    const third = giving({ IT: 'z' })
    const contents = withFallbacks({}, named('second'), named('third'))
    expect(await deskOf(contents, { main: [broken], second: [broken], third: [third] }).value('it')).toBe('z')
    expect(await deskOf(contents, { main: [broken], second: [giving({ IT: 'y' })], third: [third] }).value('it')).toBe(
      'y',
    )
    expect(third.asked).toHaveLength(1)
  })

  test('not when the read before it has answered, even that there is nothing', async () => {
    const second = giving({ IT: 'x' })
    const contents = withFallbacks({}, named('second'))
    expect(await deskOf(contents, { main: [giving({ IT: 'm' })], second: [second] }).value('it')).toBe('m')
    expect(await deskOf(contents, { main: [nothing], second: [second] }).value('it')).toBe('absent, no_data')
    expect(second.asked).toEqual([])
  })
})

describe('a fallback with `when` is asked', () => {
  const happenings = {
    failed: [broken],
    absent: [nothing],
    outside_coverage: [giving({ IT: 'm' }, { covers: () => false })],
    ok: [giving({ IT: 'm' })],
  }
  const stays = {
    failed: 'failed, timeout: It took too long.',
    absent: 'absent, no_data',
    outside_coverage: 'absent, outside_coverage',
    ok: 'm',
  }
  const whens: NonNullable<FallbackSpec['when']>[] = [
    ['failed'],
    ['absent'],
    ['outside_coverage'],
    ['absent', 'failed'],
    ['failed', 'absent', 'outside_coverage'],
    [],
  ]

  test.each(whens.map((when) => [when.join(' and ') || 'nothing', when] as const))(
    'on %s, and on nothing else',
    async (_name, when) => {
      for (const happening of ['failed', 'absent', 'outside_coverage', 'ok'] as const) {
        const { value } = deskOf(withFallbacks({}, { ...named('second'), when: [...when] }), {
          main: happenings[happening],
          second: [giving({ IT: 'x' })],
        })
        expect([happening, await value('it')]).toEqual([
          happening,
          when.some((it) => it === happening) ? 'x' : stays[happening],
        ])
      }
    },
  )

  test('on what happened to the first read, whatever came of the fallbacks before it', async () => {
    const contents = withFallbacks(
      {},
      { ...named('second'), when: ['absent'] },
      { ...named('third'), when: ['failed'] },
    )
    expect(
      await deskOf(contents, { main: [nothing], second: [broken], third: [giving({ IT: 'z' })] }).value('it'),
    ).toBe('absent, no_data')
  })
})

describe('what happened stands', () => {
  test('when every fallback fails', async () => {
    const { ask } = deskOf(withFallbacks({}, named('second')), {
      main: [broken],
      second: [failing(new UpstreamError('bad_value', 'Worse.'))],
    })
    expect(await ask('it')).toMatchObject({
      status: 'failed',
      error: 'timeout: It took too long.',
      retryable: true,
      source: 'main',
    })
  })

  test('when no fallback covers the place', async () => {
    const alaskan = giving({ IT: 'x' })
    const { ask } = deskOf(withFallbacks({}, named('alaskan')), { main: [broken], alaskan: [alaskan] })
    expect(await ask('it')).toMatchObject({ status: 'failed', error: 'timeout: It took too long.', source: 'main' })
    expect(alaskan.asked).toEqual([])
  })

  test('when a way of the fallback does not cover the place, and the next fallback is asked', async () => {
    const ways = {
      main: [broken],
      second: [giving({ IT: 'x' }, { covers: () => false })],
      third: [giving({ IT: 'z' })],
    }
    expect(await deskOf(withFallbacks({}, named('second')), ways).value('it')).toBe(
      'failed, timeout: It took too long.',
    )
    expect(await deskOf(withFallbacks({}, named('second'), named('third')), ways).value('it')).toBe('z')
  })

  test('but for a fallback that covers the place and has nothing there: then there is nothing', async () => {
    expect(
      await deskOf(withFallbacks({}, named('second')), { main: [broken], second: [nothing] }).ask('it'),
    ).toMatchObject({ status: 'absent', absent_reason: 'no_data', source: 'second' })
  })
})

test('a fallback has fallbacks of its own', async () => {
  const contents = withFallbacks({}, { ...named('second'), fallback: [named('third')] })
  expect(await deskOf(contents, { main: [broken], second: [broken], third: [giving({ IT: 'z' })] }).value('it')).toBe(
    'z',
  )
})

test('a value that a fallback works out is computed, and says so', async () => {
  const contents = withFallbacks(
    {},
    { dataset: 'computed', op: 'computed', expression: "'at ' + level", from: { level: 'level' } },
  )
  expect(await deskOf(contents, { main: [broken], third: [giving({ IT: 7 })] }).ask('it')).toMatchObject({
    status: 'ok',
    value: 'at 7',
    driver: 'computed',
    source: 'computed',
  })
})

test('a fault of ours in a fallback is a fault of ours, not a reason to go on', async () => {
  const { value, logged } = deskOf(withFallbacks({}, named('second'), named('third')), {
    main: [broken],
    second: [failing(new RangeError('oops'))],
    third: [giving({ IT: 'z' })],
  })
  expect(await value('it')).toBe('failed, internal_error: it could not be worked out, by a fault of ours.')
  expect(logged).toHaveLength(1)
})

describe('skip_when', () => {
  const high = { skip_when: 'level > 100', from: { level: 'level' } }
  const main = () => giving({ IT: 'm' })

  test('passes a read over where it holds, without asking for it', async () => {
    const asked = main()
    const { value } = deskOf(withFallbacks(high, named('second')), {
      main: [asked],
      second: [giving({ IT: 'x' })],
      third: [giving({ IT: 101 })],
    })
    expect(await value('it')).toBe('absent, no_data')
    expect(asked.asked).toEqual([])
  })

  test.each([
    ['where it does not hold', giving({ IT: 100 })],
    ['where it cannot be known because there is nothing', nothing],
    ['where it cannot be known because its input failed', broken],
  ])('leaves a read alone %s', async (_name, level) => {
    expect(await deskOf(withFallbacks(high), { main: [main()], third: [level] }).value('it')).toBe('m')
  })

  test('is left out of one unknown and decided by the other', async () => {
    const either = { skip_when: 'level > 100 || lat > 39', from: { level: 'level', lat: 'lat' } }
    expect(await deskOf(withFallbacks(either), { main: [main()], third: [broken] }).value('it')).toBe('absent, no_data')
  })

  test('passes a fallback over, and the next is asked', async () => {
    const contents = withFallbacks(
      {},
      { ...named('second'), ...high },
      { dataset: 'computed', op: 'computed', expression: "'last'" },
    )
    expect(
      await deskOf(contents, { main: [broken], second: [giving({ IT: 'x' })], third: [giving({ IT: 500 })] }).value(
        'it',
      ),
    ).toBe('last')
    expect(
      await deskOf(contents, { main: [broken], second: [giving({ IT: 'x' })], third: [giving({ IT: 5 })] }).value('it'),
    ).toBe('x')
  })

  test('by a fault of ours in its input is a fault of ours', async () => {
    expect(
      await deskOf(withFallbacks(high), { main: [main()], third: [failing(new TypeError('oops'))] }).value('it'),
    ).toStartWith('failed, internal_error: ')
  })
})

test('outside the coverage of a read a fallback for that is asked', async () => {
  const contents = contentsOf(
    [fieldOf('it', { ...named('alaskan'), fallback: [{ ...named('second'), when: ['outside_coverage'] }] })],
    { datasets },
  )
  expect(
    await deskOf(contents, {
      alaskan: [giving({ IT: 'a' })],
      second: [way(() => [{ properties: { IT: 'x' }, distance_m: 0 }])],
    }).value('it', toronto),
  ).toBe('x')
})
