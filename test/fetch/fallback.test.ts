import { describe, expect, test } from 'bun:test'
import type { FallbackSpec, ReadSpec } from '../../src/catalog/records.ts'
import { UpstreamError } from '../../src/model/error.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { createTestContext, failingOption, optionReturning, toronto, fakeOption } from './fake-context.ts'

const named = (dataset: string) => ({ dataset, op: 'attribute', attribute: 'IT' }) as const
const datasets = {
  main: datasetOf({ service: 'main' }),
  second: datasetOf({ service: 'second' }),
  third: datasetOf({ service: 'third' }),
  alaskan: datasetOf({ service: 'alaskan', coverage: { regions: ['ak'], note: null } }),
  computed: datasetOf({ service: 'computed', shape: 'document', serve: [{ driver: 'computed' }] }),
}
const broken = failingOption(new UpstreamError('timeout', 'It took too long.'))
const nothing = optionReturning({ IT: null })
/** One field, `it`, with these fallbacks. */
const withFallbacks = (read: Partial<ReadSpec>, ...fallback: FallbackSpec[]) =>
  contentsOf(
    [
      fieldOf('it', { ...named('main'), ...read, fallback } as ReadSpec),
      fieldOf('level', named('third'), { type: 'float', unit: 'm' }),
    ],
    { datasets },
  )

describe('a fallback is evaluated', () => {
  test('when the read before it has failed', async () => {
    const { ask } = createTestContext(withFallbacks({}, named('second')), {
      main: [broken],
      second: [optionReturning({ IT: 'x' }, { vintage: '2019' })],
    })
    expect(await ask('it')).toMatchObject({ status: 'ok', value: 'x', source: 'second', dataset_vintage: '2019' })
  })

  test('when the dataset before it has no option here', async () => {
    expect(
      await createTestContext(withFallbacks({}, named('second')), { second: [optionReturning({ IT: 'x' })] }).value(
        'it',
      ),
    ).toBe('x')
  })

  test('when the operator rejected the value before it', async () => {
    expect(
      await createTestContext(withFallbacks({ cast: 'integer' }, named('second')), {
        main: [optionReturning({ IT: 'no number' })],
        second: [optionReturning({ IT: 'x' })],
      }).value('it'),
    ).toBe('x')
  })

  test('in order, until one answers', async () => {
    const third = optionReturning({ IT: 'z' })
    const contents = withFallbacks({}, named('second'), named('third'))
    expect(await createTestContext(contents, { main: [broken], second: [broken], third: [third] }).value('it')).toBe(
      'z',
    )
    expect(
      await createTestContext(contents, {
        main: [broken],
        second: [optionReturning({ IT: 'y' })],
        third: [third],
      }).value('it'),
    ).toBe('y')
    expect(third.queries).toHaveLength(1)
  })

  test('not when the read before it succeeded, even without a value', async () => {
    const second = optionReturning({ IT: 'x' })
    const contents = withFallbacks({}, named('second'))
    expect(
      await createTestContext(contents, { main: [optionReturning({ IT: 'm' })], second: [second] }).value('it'),
    ).toBe('m')
    expect(await createTestContext(contents, { main: [nothing], second: [second] }).value('it')).toBe('absent, no_data')
    expect(second.queries).toEqual([])
  })
})

const optionsByCondition = {
  failed: [broken],
  absent: [nothing],
  outside_coverage: [optionReturning({ IT: 'm' }, { covers: () => false })],
  ok: [optionReturning({ IT: 'm' })],
}
const resultsWithoutFallback = {
  failed: 'failed, timeout: It took too long.',
  absent: 'absent, no_data',
  outside_coverage: 'absent, outside_coverage',
  ok: 'm',
}

describe('a fallback with `when` is evaluated', () => {
  const whens: NonNullable<FallbackSpec['when']>[] = [
    ['failed'],
    ['absent'],
    ['outside_coverage'],
    ['absent', 'failed'],
    ['failed', 'absent', 'outside_coverage'],
    [],
  ]

  test.each(whens.map((when) => [when.join(' and ') || 'nothing', when] as const))(
    'after %s only',
    async (_name, when) => {
      for (const condition of ['failed', 'absent', 'outside_coverage', 'ok'] as const) {
        const { value } = createTestContext(withFallbacks({}, { ...named('second'), when: [...when] }), {
          main: optionsByCondition[condition],
          second: [optionReturning({ IT: 'x' })],
        })
        expect([condition, await value('it')]).toEqual([
          condition,
          when.some((allowed) => allowed === condition) ? 'x' : resultsWithoutFallback[condition],
        ])
      }
    },
  )

  test('after the result of the first read, regardless of earlier fallbacks', async () => {
    const contents = withFallbacks(
      {},
      { ...named('second'), when: ['absent'] },
      { ...named('third'), when: ['failed'] },
    )
    expect(
      await createTestContext(contents, {
        main: [nothing],
        second: [broken],
        third: [optionReturning({ IT: 'z' })],
      }).value('it'),
    ).toBe('failed, timeout: It took too long.')
  })
})

describe('an absence is not known', () => {
  test.each(['absent', 'outside_coverage'] as const)(
    'after %s if the fallback for it fails, unless a further one answers',
    async (condition) => {
      const second = { ...named('second'), when: [condition] }
      const options = { main: optionsByCondition[condition], second: [broken], third: [optionReturning({ IT: 'z' })] }
      expect(await createTestContext(withFallbacks({}, second), options).value('it')).toBe(
        'failed, timeout: It took too long.',
      )
      const both = withFallbacks({}, second, { ...named('third'), when: [condition] })
      expect(await createTestContext(both, options).value('it')).toBe('z')
    },
  )
})

describe('the first result stands', () => {
  test('when every fallback fails', async () => {
    const { ask } = createTestContext(withFallbacks({}, named('second')), {
      main: [broken],
      second: [failingOption(new UpstreamError('bad_value', 'Worse.'))],
    })
    expect(await ask('it')).toMatchObject({
      status: 'failed',
      error: 'timeout: It took too long.',
      retryable: true,
      source: 'main',
    })
  })

  test('when no fallback covers the place', async () => {
    const alaskan = optionReturning({ IT: 'x' })
    const { ask } = createTestContext(withFallbacks({}, named('alaskan')), { main: [broken], alaskan: [alaskan] })
    expect(await ask('it')).toMatchObject({ status: 'failed', error: 'timeout: It took too long.', source: 'main' })
    expect(alaskan.queries).toEqual([])
  })

  test('when no option of the fallback covers the place and there is no further fallback', async () => {
    const options = {
      main: [broken],
      second: [optionReturning({ IT: 'x' }, { covers: () => false })],
      third: [optionReturning({ IT: 'z' })],
    }
    expect(await createTestContext(withFallbacks({}, named('second')), options).value('it')).toBe(
      'failed, timeout: It took too long.',
    )
    expect(await createTestContext(withFallbacks({}, named('second'), named('third')), options).value('it')).toBe('z')
  })

  test('unless a fallback covers the place and is absent', async () => {
    expect(
      await createTestContext(withFallbacks({}, named('second')), { main: [broken], second: [nothing] }).ask('it'),
    ).toMatchObject({ status: 'absent', absent_reason: 'no_data', source: 'second' })
  })

  test('when the first source returned something wrong and a fallback is absent', async () => {
    const lying = fakeOption(() => {
      throw new UpstreamError('bad_value', 'The source returned "ZZ9".')
    })
    expect(
      await createTestContext(withFallbacks({}, named('second')), { main: [lying], second: [nothing] }).value('it'),
    ).toBe('failed, bad_value: The source returned "ZZ9".')
    const zero = optionReturning({ IT: '0' })
    const counted = withFallbacks({}, { ...named('second'), cast: 'integer' })
    expect(await createTestContext(counted, { main: [lying], second: [zero] }).value('it')).toContain('bad_value')
  })
})

test('a fallback may have fallbacks', async () => {
  const contents = withFallbacks({}, { ...named('second'), fallback: [named('third')] })
  expect(
    await createTestContext(contents, {
      main: [broken],
      second: [broken],
      third: [optionReturning({ IT: 'z' })],
    }).value('it'),
  ).toBe('z')
})

test('a value that a fallback computes has the driver computed', async () => {
  const contents = withFallbacks(
    {},
    { dataset: 'computed', op: 'computed', expression: "'at ' + level", from: { level: 'level' } },
  )
  expect(
    await createTestContext(contents, { main: [broken], third: [optionReturning({ IT: 7 })] }).ask('it'),
  ).toMatchObject({ status: 'ok', value: 'at 7', driver: 'computed', source: 'computed' })
})

test('an unexpected error in a fallback fails the field and skips the next fallback', async () => {
  const { value, logged } = createTestContext(withFallbacks({}, named('second'), named('third')), {
    main: [broken],
    second: [failingOption(new RangeError('oops'))],
    third: [optionReturning({ IT: 'z' })],
  })
  expect(await value('it')).toBe('failed, internal_error: An internal error occurred while it was evaluated.')
  expect(logged).toHaveLength(1)
})

describe('skip_when', () => {
  const high = { skip_when: 'level > 100', from: { level: 'level' } }
  const main = () => optionReturning({ IT: 'm' })

  test('skips a read without a query when it holds', async () => {
    const mainOption = main()
    const { value } = createTestContext(withFallbacks(high, named('second')), {
      main: [mainOption],
      second: [optionReturning({ IT: 'x' })],
      third: [optionReturning({ IT: 101 })],
    })
    expect(await value('it')).toBe('absent, no_data')
    expect(mainOption.queries).toEqual([])
  })

  test('with a reason says why there is no value', async () => {
    const elsewhere = withFallbacks({ ...high, skip_reason: 'outside_coverage' })
    const { value } = createTestContext(elsewhere, { main: [main()], third: [optionReturning({ IT: 101 })] })
    expect(await value('it')).toBe('absent, outside_coverage')
  })

  test.each([
    ['when it does not hold', optionReturning({ IT: 100 })],
    ['when its input is absent', nothing],
    ['when its input failed', broken],
  ])('does not skip a read %s', async (_name, level) => {
    expect(await createTestContext(withFallbacks(high), { main: [main()], third: [level] }).value('it')).toBe('m')
  })

  test('is decided by its known input when the other failed', async () => {
    const either = { skip_when: 'level > 100 || lat > 39', from: { level: 'level', lat: 'lat' } }
    expect(await createTestContext(withFallbacks(either), { main: [main()], third: [broken] }).value('it')).toBe(
      'absent, no_data',
    )
  })

  test('skips a fallback, and the next one is evaluated', async () => {
    const contents = withFallbacks(
      {},
      { ...named('second'), ...high },
      { dataset: 'computed', op: 'computed', expression: "'last'" },
    )
    expect(
      await createTestContext(contents, {
        main: [broken],
        second: [optionReturning({ IT: 'x' })],
        third: [optionReturning({ IT: 500 })],
      }).value('it'),
    ).toBe('last')
    expect(
      await createTestContext(contents, {
        main: [broken],
        second: [optionReturning({ IT: 'x' })],
        third: [optionReturning({ IT: 5 })],
      }).value('it'),
    ).toBe('x')
  })

  test('fails the field after an unexpected error in its input', async () => {
    expect(
      await createTestContext(withFallbacks(high), {
        main: [main()],
        third: [failingOption(new TypeError('oops'))],
      }).value('it'),
    ).toStartWith('failed, internal_error: ')
  })
})

test('outside the coverage of a read the fallback for outside_coverage is evaluated', async () => {
  const contents = contentsOf(
    [fieldOf('it', { ...named('alaskan'), fallback: [{ ...named('second'), when: ['outside_coverage'] }] })],
    { datasets },
  )
  expect(
    await createTestContext(contents, {
      alaskan: [optionReturning({ IT: 'a' })],
      second: [fakeOption(() => [{ properties: { IT: 'x' }, distance_m: 0 }])],
    }).value('it', toronto),
  ).toBe('x')
})
