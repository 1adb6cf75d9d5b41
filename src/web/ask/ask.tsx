import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PageProps } from '../dashboard.ts'
import { wantedOf } from '../explore/wanted.ts'
import type { Point } from '../map/point.ts'
import { PageHead } from '../parts/page-head.tsx'
import { Answer } from './answer.tsx'
import { AskForm } from './ask-form.tsx'
import { Examples, HowToAsk } from './examples.tsx'
import { useAnswer } from './use-answer.ts'

/** A question about a place, and its answer as it is written. Both stand in the address: who opens it is answered. */
export function Ask({ dashboard }: PageProps) {
  const { address, api, library } = dashboard
  const { query } = address.at.value
  const { at, name } = useMemo(() => wantedOf(query), [query])
  const text = query.get('q') ?? ''
  const [turn, setTurn] = useState(0)
  const question = at && text !== '' ? { text, at } : null
  const { answering, stop } = useAnswer(api, question, turn)
  const again = () => setTurn(turn + 1)
  useEffect(() => library.open(), [])
  const ask = (it: string) => (it === text ? again() : address.step({ q: it }))
  const askAt = (it: string, point: Point, place: string) =>
    address.step({ q: it, at: `${point.lat},${point.lng}`, name: place })
  return (
    <>
      <PageHead title="Ask">What do you want to know of a place? The answer comes with its sources.</PageHead>
      <AskForm
        dashboard={dashboard}
        at={at}
        name={name}
        text={text}
        isUnderWay={answering !== null && answering.end === null}
        onAsk={ask}
        onStop={stop}
      />
      {question === null && (
        <>
          <HowToAsk dashboard={dashboard} />
          <Examples onAsk={askAt} />
        </>
      )}
      {question !== null && answering && (
        <>
          <h2 class="ask-asked">{text}</h2>
          <Answer
            key={`${turn} ${text} ${at!.lat},${at!.lng}`}
            dashboard={dashboard}
            answering={answering}
            again={again}
          />
        </>
      )}
    </>
  )
}
