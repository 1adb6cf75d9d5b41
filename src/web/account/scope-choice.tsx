import { scopeNames, scopeWords, type ScopeName } from './scope-words.ts'

type Props = {
  legend: string
  granted: readonly string[]
  chosen: readonly ScopeName[]
  onChoose: (scopes: ScopeName[]) => void
}

/** The scopes to tick, each with what it allows; nobody is offered more than they may give. */
export function ScopeChoice({ legend, granted, chosen, onChoose }: Props) {
  return (
    <fieldset class="account-choice">
      <legend>{legend}</legend>
      {scopeNames
        .filter((scope) => granted.includes(scope))
        .map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={(event) =>
                onChoose(scopeNames.filter((it) => (it === scope ? event.currentTarget.checked : chosen.includes(it))))
              }
            />
            <span>
              <code>{scope}</code> <span class="soft small">{scopeWords[scope]}</span>
            </span>
          </label>
        ))}
    </fieldset>
  )
}
