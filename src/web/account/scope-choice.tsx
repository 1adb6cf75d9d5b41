import { scopeNames, scopeDescriptions, type ScopeName } from './scope-descriptions.ts'

type Props = {
  legend: string
  granted: readonly string[]
  selected: readonly ScopeName[]
  onSelect: (scopes: ScopeName[]) => void
}

/**
 * Checkboxes for scopes with their descriptions. Offers only the granted scopes, because nobody can grant more than
 * they have.
 */
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
