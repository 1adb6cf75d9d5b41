import type { AskAnswer, AskTrace, Citation } from '../../ask/answer/ask-answer.ts'
import { CopyButton } from '../components/buttons.tsx'
import { ErrorNotice, Skeleton } from '../components/notices.tsx'
import { Facts, StatusBadge } from '../components/text.tsx'
import type { PageProps } from '../dashboard.ts'
import type { RequestError } from '../request.ts'
import type { AskProgress } from './ask-progress.ts'
import { useHighlight, type Highlight } from './highlight.ts'
import { FieldRows, UsedFields } from './used-fields.tsx'
import type { AskStage } from '../../ask/ask-event.ts'
import { Icon } from '../components/icons.tsx'
import { humanizeName } from '../../catalog/field-title.ts'
import { numberText } from '../value-text.ts'
import { parseAnswerLines } from './answer-lines.ts'

/** Shows the answer next to the fields it is based on, starting with the first progress event. */
export function AskAnswerView({
  dashboard,
  progress,
  retry,
}: PageProps & { progress: AskProgress; retry: () => void }) {
  const highlight = useHighlight()
  const { end, text, plannedFields, fields } = progress
  const answer = end?.status === 'done' ? end.answer : null
  const isRunning = end === null
  return (
    <div class="ask-answer" aria-busy={isRunning}>
      <section class="stack">
        <h2 class="unseen">Answer</h2>
        {isRunning && <AskSteps progress={progress} />}
        {isRunning && text === '' && <Skeleton lines={3} />}
        {end?.status === 'failed' && <AskError error={end.error} retry={retry} />}
        {end?.status === 'stopped' && (
          <p class="notice">
            You stopped this question{text === '' ? '' : '. The text below was written before that'}.
          </p>
        )}
        {(answer || text !== '') && (
          <AnswerText text={answer?.answer ?? text} citations={answer?.citations ?? []} highlight={highlight} />
        )}
        <p class="unseen" role="status">
          {answer ? `${answer.answer} Confidence: ${answer.confidence}.` : ''}
        </p>
        {answer && <AnswerFooter answer={answer} />}
      </section>
      {(answer || plannedFields.length > 0) && (
        <section class="ask-answer__fields stack" aria-label="Fields used in the answer">
          <h2>Fields used</h2>
          {answer ? (
            <UsedFields dashboard={dashboard} answer={answer} highlight={highlight} />
          ) : (
            <FieldRows
              dashboard={dashboard}
              names={end ? plannedFields.filter((name) => fields[name]) : plannedFields}
              fields={fields}
            />
          )}
          {answer && Object.keys(answer.fields).length === 0 && <p class="soft">No fields were fetched.</p>}
        </section>
      )}
    </div>
  )
}

function AnswerFooter({ answer }: { answer: AskAnswer }) {
  const { confidence, trace } = answer
  return (
    <>
      <p class="ask-sure">
        <StatusBadge
          kind={confidence === 'high' ? 'ok' : confidence === 'medium' ? 'absent' : 'failed'}
          word={`${confidence.charAt(0).toUpperCase()}${confidence.slice(1)} confidence`}
        />{' '}
        <span class="soft">{confidenceReason(answer)}</span>
      </p>
      <p class="row no-print">
        <CopyButton text={() => answerAsText(answer)}>Copy answer</CopyButton>
        <CopyButton text={() => window.location.href}>Copy link</CopyButton>
      </p>
      {trace && <AskTraceDetails trace={trace} />}
    </>
  )
}

/** Returns the answer with its sources as plain text, for the clipboard. */
function answerAsText({ answer, citations }: AskAnswer): string {
  const sources = citations.map(
    ({ id, source_name, source_url, dataset_vintage }) =>
      `[${id}] ${source_name}${dataset_vintage === null ? '' : ` (${dataset_vintage})`}, ${source_url}`,
  )
  return [answer, '', ...sources].join('\n').trim()
}

/** Shows why a question failed and what to do. */
function AskError({ error, retry }: { error: RequestError; retry: () => void }) {
  const advice = adviceFor(error)
  return (
    <div class="stack">
      <ErrorNotice error={error} retry={retry} />
      {advice !== null && <p class="soft">{advice}</p>}
    </div>
  )
}

function adviceFor({ code, context }: RequestError): string | null {
  if (code === 'ask_unavailable')
    return 'The operator of this server can set a model key (ANTHROPIC_API_KEY) or allow answers without a model (FIELDSTONE_ASK_BUILTIN=1). The fields themselves are available on the Explore page.'
  if (code === 'ask_timeout')
    return context.stage === 'fetching'
      ? 'The data sources were slow. Try again: values that already arrived are cached, so the next try is faster. Or ask about fewer things at once.'
      : 'Try again, or shorten the question.'
  if (code === 'insufficient_scope')
    return 'Your account has no permission to ask questions. The owner of this server can grant it. The fields themselves are available on the Explore page.'
  return null
}

/** Explains the confidence of an answer in one sentence. */
function confidenceReason({ answer, confidence, fields }: Pick<AskAnswer, 'answer' | 'confidence' | 'fields'>): string {
  const results = Object.values(fields)
  const failed = results.filter(({ status }) => status === 'failed').length
  const found = results.filter(({ status }) => status === 'ok').length
  if (confidence === 'high') return 'All needed fields have answers, and every number in the text is a fetched value.'
  if (confidence === 'medium')
    return failed > 0
      ? `${failed} of ${results.length} fields failed. The answer uses the others.`
      : 'Some words of the question matched fields only by full-text search, so some of the fields may be irrelevant.'
  if (results.length === 0) return 'No field in the catalog answers this question.'
  if (answer.includes('could not be located')) return 'A place in the question could not be located.'
  if (/Related values:/.test(answer)) return 'No field covers the whole question. The values are only related to it.'
  return found === 0
    ? 'None of the fields has a value at this place.'
    : 'The text contains a number that is not a fetched value. Check it against the fields.'
}

const stageLabels: [AskStage, string][] = [
  ['locating', 'Find the place'],
  ['planning', 'Choose the fields'],
  ['fetching', 'Fetch the data'],
  ['writing', 'Write the answer'],
]

/** The steps of a question with the current one marked. */
function AskSteps({ progress }: { progress: AskProgress }) {
  const currentIndex = stageLabels.findIndex(([stage]) => stage === progress.stage)
  const count = Object.keys(progress.fields).length
  return (
    <ol class="ask-steps" aria-label="Progress">
      {stageLabels.map(([stage, label], i) => (
        <li
          key={stage}
          class={
            i < currentIndex ? 'ask-step ask-step--done' : i === currentIndex ? 'ask-step ask-step--now' : 'ask-step'
          }
          aria-current={i === currentIndex ? 'step' : undefined}
        >
          <Icon name={i < currentIndex ? 'check' : i === currentIndex ? 'refresh' : 'none'} />
          {label}
          {stage === 'fetching' &&
            progress.plannedFields.length > 0 &&
            ` (${count} of ${progress.plannedFields.length})`}
        </li>
      ))}
    </ol>
  )
}

/** Details on how an answer was produced. */
function AskTraceDetails({ trace }: { trace: AskTrace }) {
  const { planner_model, synthesizer_model, planner_reasoning, fields_requested, preset_expanded, latency_ms } = trace
  return (
    <details class="ask-trace">
      <summary>How this answer was produced</summary>
      <Facts
        facts={[
          ['Fields chosen by', `${modelLabel(planner_model)}, in ${durationText(latency_ms.planner_ms)}`],
          ['Reasoning', planner_reasoning],
          preset_expanded !== null && ['Preset', humanizeName(preset_expanded)],
          ['Fields', fields_requested.length === 0 ? 'none' : fields_requested.map(fieldCode)],
          ['Fetched', `in ${durationText(latency_ms.fetch_ms)}`],
          ['Written by', `${modelLabel(synthesizer_model)}, in ${durationText(latency_ms.synth_ms)}`],
          ['Total', durationText(latency_ms.total_ms)],
        ]}
      />
    </details>
  )
}

function fieldCode(name: string, i: number) {
  return (
    <span key={name}>
      {i > 0 && ', '}
      <code>{name}</code>
    </span>
  )
}

function modelLabel(model: string): string {
  return model === 'builtin' ? 'this server (no model)' : model
}

function durationText(ms: number): string {
  return ms < 1000 ? `${numberText(ms)} ms` : `${numberText(Math.round(ms / 100) / 10)} s`
}

type AnswerTextProps = { text: string; citations: Citation[]; highlight: Highlight }

/**
 * The answer text with its citation numbers. Hovering over a number, or selecting it, highlights the text it supports
 * and the fields of that source.
 */
function AnswerText({ text, citations, highlight }: AnswerTextProps) {
  const names = new Map(citations.map(({ id, source_name }) => [id, source_name]))
  return (
    <div class="ask-text">
      {parseAnswerLines(text).map((segments, i) => (
        <p key={i}>
          {segments.map((segment, k) => (
            <span
              key={k}
              class={segment.citationIds.some((id) => id === highlight.source) ? 'ask-text__lit' : undefined}
            >
              {segment.text}
              {segment.citationIds.map((id) => (
                <CitationMark key={id} id={id} name={names.get(id)} highlight={highlight} />
              ))}
            </span>
          ))}
        </p>
      ))}
    </div>
  )
}

/** A citation number. Its source is unknown, and the number not clickable, until the answer is complete. */
function CitationMark({ id, name, highlight }: { id: number; name: string | undefined; highlight: Highlight }) {
  if (name === undefined) return <span class="ask-mark">{id}</span>
  return (
    <button
      type="button"
      class="ask-mark"
      aria-label={`Source ${id}: ${name}`}
      title={name}
      aria-pressed={highlight.pressed === id}
      {...highlight.hoverProps(id)}
      onClick={() => highlight.toggle(id, 'fields')}
    >
      {id}
    </button>
  )
}
