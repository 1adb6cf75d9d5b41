import { useState } from 'preact/hooks'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import type { PageProps } from '../dashboard.ts'
import type { Point } from '../map/point.ts'
import { Code } from '../parts/code.tsx'
import { isOpen } from '../session.ts'
import { callOf, curlOf, typescriptOf } from './calls.ts'
import type { Wanted } from './wanted.ts'

const ways = ['curl', 'TypeScript', 'JSON'] as const

/** The same for a program: the call, and what was answered. */
export function AsProgram({
  dashboard,
  places,
  wanted,
  answers,
}: PageProps & { places: Point[]; wanted: Wanted; answers: FetchAnswer[] }) {
  const [way, setWay] = useState<(typeof ways)[number]>('curl')
  const call = callOf(places, wanted)
  const me = dashboard.session.me.value
  const isTokenless = isOpen(dashboard.session)
  const texts = {
    curl: () => curlOf(call, window.location.origin, isTokenless),
    TypeScript: () => typescriptOf(call, window.location.origin, isTokenless),
    JSON: () => JSON.stringify(answers.length === 1 ? answers[0] : answers, null, 2),
  }
  return (
    <section class="program no-print">
      <h3>The same as a program</h3>
      <div class="chips" role="group" aria-label="In which language">
        {ways.map((it) => (
          <button key={it} type="button" class="chip" aria-pressed={it === way} onClick={() => setWay(it)}>
            {it}
          </button>
        ))}
      </div>
      <Code label={way === 'JSON' ? 'What was answered' : `The call in ${way}`} text={texts[way]()} />
      {!isTokenless && way !== 'JSON' && (
        <p class="soft small">
          {me.state === 'failed'
            ? 'Whether it takes a token could not be asked.'
            : 'It takes a token: make one under Account.'}
        </p>
      )}
    </section>
  )
}
