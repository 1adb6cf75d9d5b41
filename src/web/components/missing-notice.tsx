import type { ComponentChildren } from 'preact'
import { pluralize } from '../../model/text.ts'
import { withoutNetworkText } from '../../catalog/missing-data.ts'
import { needsOtherMachine, type MissingGroup } from '../../runs/report/missing-sources.ts'
import { CopyButton } from './buttons.tsx'
import { ReasonText } from './text.tsx'

/** `command`: gets all that is missing here; null if the places are not known. */
type Props = { group: MissingGroup; command: ComponentChildren; tryAgain: ComponentChildren }

/** One notice for all values that the same remedy gets: a retry, one command, or a setting. */
export function MissingNotice({ group, command, tryAgain }: Props) {
  const { remedy, titles, errors, values, fetchable_fields, settings, message } = group
  return (
    <div class="notice notice--warn missing">
      <p>
        <strong>{headingOf(group)}</strong> {remedy === null && `${message} `}
        {errors.map((error) => (
          <code key={error} class="notice__code">
            {error}{' '}
          </code>
        ))}
      </p>
      <details>
        <summary>
          {pluralize(values, 'value')} of {pluralize(titles.length, 'dataset')}
        </summary>
        <p class="soft small">{titles.join('; ')}</p>
      </details>
      {remedy === 'retry' && <p>{tryAgain}</p>}
      {remedy === 'retry' && fetchable_fields.length > 0 && <p>Without a network, get the data once:</p>}
      {fetchable_fields.length > 0 && command}
      {remedy === 'setting' && !needsOtherMachine(group) && (
        <p>
          Set <code>{settings.join(', ')}</code> on this server.
        </p>
      )}
    </div>
  )
}

function headingOf(group: MissingGroup): string {
  const { remedy, values } = group
  const count = pluralize(values, 'value')
  if (remedy === 'retry') return `The network or a source did not answer. ${count} missing.`
  if (remedy === 'packs') return `${count} missing: the data is not on this server.`
  return remedy === 'setting' && needsOtherMachine(group)
    ? `${count} missing: only a server with a network can answer them.`
    : `${count} missing.`
}

/** The one command that gets what is missing, with a button to copy it. */
export function GetDataCommand({ command, isOffline }: { command: string; isOffline: boolean }) {
  return (
    <>
      <p class="row">
        <code>{command.split(' ').map(commandWord)}</code>
        <CopyButton text={() => command} />
      </p>
      {isOffline && (
        <p class="soft small">
          Run it <ReasonText text={`${withoutNetworkText}.`} />
        </p>
      )}
    </>
  )
}

/** A word of a command, which is broken into two lines only if it is longer than a line. */
function commandWord(word: string, i: number) {
  return [i > 0 && ' ', <span class="unbroken">{word}</span>]
}
