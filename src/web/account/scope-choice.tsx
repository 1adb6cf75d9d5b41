import { scopeNames, scopeDescriptions, type ScopeName } from './scope-descriptions.ts'

type Props = {
  legend: string
  granted: readonly string[]
  selected: readonly ScopeName[]
  onSelect: (scopes: ScopeName[]) => void
}

/** The scopes to tick, each with what it allows; nobody is offered more than they may give. */
export function ScopeChoice({ legend, granted, selected, onSelect }: Props) {
  return (
    <fieldset class="account-choice">
      <legend>{legend}</legend>
      {scopeNames
        .filter((scope) => granted.includes(scope))
        .map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={selected.includes(scope)}
              onChange={(event) =>
                onSelect(
                  scopeNames.filter((other) =>
                    other === scope ? event.currentTarget.checked : selected.includes(other),
                  ),
                )
              }
            />
            <span>
              <code>{scope}</code> <span class="soft small">{scopeDescriptions[scope]}</span>
            </span>
          </label>
        ))}
    </fieldset>
  )
}
