import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Point } from '../../model/place.ts'
import { PageHeader } from '../components/page-header.tsx'
import type { PageProps } from '../dashboard.ts'
import { parseExploreQuery } from '../explore/explore-query.ts'
import { AskAnswerView } from './answer.tsx'
import { AskForm } from './ask-form.tsx'
import { AskExamples, AskHint } from './examples.tsx'
import { useAnswer } from './use-answer.ts'

/**
 * The ask page: a question about a place, and its answer as it arrives. Place and question are in the URL, so opening a
 * link asks the question.
 */
export function AskPage({ dashboard }: PageProps) {
  const { router, api, catalogStore } = dashboard
  const { query } = router.location.value
  const { at, name } = useMemo(() => parseExploreQuery(query), [query])
  const text = query.get('q') ?? ''
  const [attempt, setAttempt] = useState(0)
  const units = dashboard.units.system.value
  const question = at && text !== '' ? { text, at, units } : null
  const { progress, stop } = useAnswer(api, question, attempt)
  const retry = () => setAttempt(attempt + 1)
  useEffect(() => catalogStore.load(), [])
  const ask = (question: string) => (question === text ? retry() : router.pushQuery({ q: question }))
  const askAt = (question: string, point: Point, place: string) =>
    router.pushQuery({ q: question, at: `${point.lat},${point.lng}`, name: place })
  return (
    <>
      <PageHeader title="Ask">Ask a question about a place. The answer cites its sources.</PageHeader>
      <AskForm
        dashboard={dashboard}
        at={at}
        name={name}
        text={text}
        isRunning={progress !== null && progress.end === null}
        onAsk={ask}
        onStop={stop}
      />
      {question === null && (
        <>
          <AskHint dashboard={dashboard} />
          <AskExamples onAsk={askAt} />
        </>
      )}
      {question !== null && progress && (
        <>
          <h2 class="ask-asked">{text}</h2>
          <AskAnswerView
            key={`${attempt} ${text} ${at!.lat},${at!.lng} ${units}`}
            dashboard={dashboard}
            progress={progress}
            retry={retry}
          />
        </>
      )}
    </>
  )
}
