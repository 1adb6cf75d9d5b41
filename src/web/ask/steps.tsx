import type { AskStage } from '../../ask/ask-event.ts'
import { Icon } from '../parts/icons.tsx'
import type { Answering } from './answering.ts'

const steps: [AskStage, string][] = [
  ['locating', 'Find the place'],
  ['planning', 'Choose the fields'],
  ['fetching', 'Ask the sources'],
  ['writing', 'Write the answer'],
]

/** Where a question is on its way to the answer. */
export function Steps({ answering }: { answering: Answering }) {
  const now = steps.findIndex(([stage]) => stage === answering.stage)
  const count = Object.keys(answering.fields).length
  return (
    <ol class="ask-steps" aria-label="How far the question is">
      {steps.map(([stage, words], i) => (
        <li
          key={stage}
          class={i < now ? 'ask-step ask-step--done' : i === now ? 'ask-step ask-step--now' : 'ask-step'}
          aria-current={i === now ? 'step' : undefined}
        >
          <Icon name={i < now ? 'check' : i === now ? 'refresh' : 'none'} />
          {words}
          {stage === 'fetching' && answering.planned.length > 0 && ` (${count} of ${answering.planned.length})`}
        </li>
      ))}
    </ol>
  )
}
