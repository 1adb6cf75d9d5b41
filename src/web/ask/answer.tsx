import type { AskAnswer } from '../../ask/ask-answer.ts'
import type { PageProps } from '../dashboard.ts'
import { Copy } from '../parts/copy.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import type { Answering } from './answering.ts'
import { AnswerText } from './answer-text.tsx'
import { AskFault } from './ask-fault.tsx'
import { whySure } from './confidence.ts'
import { HowAnswered } from './how-answered.tsx'
import { useLighting } from './lighting.ts'
import { Steps } from './steps.tsx'
import { Rows, UsedFields } from './used-fields.tsx'

/** The answer beside the fields that it is written from, from the first step on. */
export function Answer({ dashboard, answering, again }: PageProps & { answering: Answering; again: () => void }) {
  const lighting = useLighting()
  const { end, text, planned, fields } = answering
  const answer = end?.state === 'done' ? end.answer : null
  const isUnderWay = end === null
  return (
    <div class="ask-answer" aria-busy={isUnderWay}>
      <section class="ask-answer__text">
        <h2 class="unseen">Answer</h2>
        {isUnderWay && <Steps answering={answering} />}
        {isUnderWay && text === '' && <Skeleton lines={3} />}
        {end?.state === 'failed' && <AskFault fault={end.fault} again={again} />}
        {end?.state === 'stopped' && (
          <p class="notice">You stopped this{text === '' ? '' : '; what was written until then stays'}.</p>
        )}
        {(answer || text !== '') && (
          <AnswerText text={answer?.answer ?? text} citations={answer?.citations ?? []} lighting={lighting} />
        )}
        <p class="unseen" role="status">
          {answer ? `${answer.answer} Confidence: ${answer.confidence}.` : ''}
        </p>
        {answer && <Below answer={answer} />}
      </section>
      {(answer || planned.length > 0) && (
        <section class="ask-answer__fields" aria-label="The fields behind the answer">
          <h2>What it is written from</h2>
          {answer ? (
            <UsedFields dashboard={dashboard} answer={answer} lighting={lighting} />
          ) : (
            <Rows
              dashboard={dashboard}
              names={end ? planned.filter((name) => fields[name]) : planned}
              fields={fields}
            />
          )}
          {answer && Object.keys(answer.fields).length === 0 && <p class="soft">No field was fetched.</p>}
        </section>
      )}
    </div>
  )
}

function Below({ answer }: { answer: AskAnswer }) {
  const { confidence, trace } = answer
  return (
    <>
      <p class="ask-sure">
        <Status
          kind={confidence === 'high' ? 'ok' : confidence === 'medium' ? 'absent' : 'failed'}
          word={`${confidence.charAt(0).toUpperCase()}${confidence.slice(1)} confidence`}
        />{' '}
        <span class="soft">{whySure(answer)}</span>
      </p>
      <p class="row no-print">
        <Copy text={() => textOf(answer)}>Copy the answer</Copy>
        <Copy text={() => window.location.href}>Copy link</Copy>
      </p>
      {trace && <HowAnswered trace={trace} />}
    </>
  )
}

/** The answer with its sources, as it can be pasted elsewhere. */
function textOf({ answer, citations }: AskAnswer): string {
  const sources = citations.map(
    ({ id, source_name, source_url, vintage }) =>
      `[${id}] ${source_name}${vintage === null ? '' : ` (${vintage})`}, ${source_url}`,
  )
  return [answer, '', ...sources].join('\n').trim()
}
