import type { ComponentChildren } from 'preact'
import { pluralize } from '../../model/text.ts'
import { packCommandsOf, type MissingGroup } from '../../runs/report/missing-sources.ts'
import { CopyButton } from './copy-button.tsx'

/** `places`: the flags of `pack fetch` that name the places of the values, null if they are not known. */
type Props = { group: MissingGroup; places: string | null; tryAgain: ComponentChildren }

/** One notice for all values that the same remedy gets: a retry, packs with their commands, or a setting. */
export function MissingNotice({ group, places, tryAgain }: Props) {
  const { remedy, titles, errors, values, settings, message } = group
  const commands = packCommandsOf(group, places)
  return (
    <div class="notice notice--warn missing">
      <p>
        <strong>{remedy === 'retry' ? 'The network or a source did not answer.' : `${titles.join('; ')}.`}</strong>{' '}
        {pluralize(values, 'value')} missing{remedy === 'retry' ? ` from ${titles.join('; ')}` : ''}.{' '}
        {remedy === null && `${message} `}
        {errors.map((error) => [
          ' ',
          <code key={error} class="notice__code">
            {error}
          </code>,
        ])}
      </p>
      {remedy === 'retry' && <p>{tryAgain}</p>}
      {commands.map((command) => (
        <p key={command} class="row">
          <code>{command.split(' ').map(commandWord)}</code>
          <CopyButton text={() => command} />
        </p>
      ))}
      {settings.length > 0 && remedy !== 'retry' && (
        <p>
          {commands.length > 0 ? 'Or change the setting ' : 'Change the setting '}
          <code>{settings.join(', ')}</code> of this server.
        </p>
      )}
    </div>
  )
}

/** A word of a command, which is broken into two lines only if it is longer than a line. */
function commandWord(word: string, i: number) {
  return [i > 0 && ' ', <span class="unbroken">{word}</span>]
}
