import type { AskStage } from '../../ask/ask-event.ts'
import { Icon } from '../components/icons.tsx'
import type { AskProgress } from './ask-progress.ts'

const stageLabels: [AskStage, string][] = [
  ['locating', 'Find the place'],
  ['planning', 'Choose the fields'],
  ['fetching', 'Fetch the data'],
  ['writing', 'Write the answer'],
]

/** The steps of a question with the current one marked. */
export function AskSteps({ progress }: { progress: AskProgress }) {
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
