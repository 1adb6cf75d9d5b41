import { Check } from '../components/inputs.tsx'
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
          <Check
            key={scope}
            isChecked={selected.includes(scope)}
            onCheck={(isOn) => onSelect(scopeNames.filter((it) => (it === scope ? isOn : selected.includes(it))))}
          >
            <span>
              <code>{scope}</code> <span class="soft small">{scopeDescriptions[scope]}</span>
            </span>
          </Check>
        ))}
    </fieldset>
  )
}
