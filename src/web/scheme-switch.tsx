import { schemes, type Look, type Scheme } from './look.ts'
import { Icon } from './parts/icons.tsx'

const names: Record<Scheme, string> = { auto: 'as the system has it', light: 'light', dark: 'dark' }
const icons = { auto: 'contrast', light: 'sun', dark: 'moon' } as const

/** One button: as the system has it, light, dark, and round again. */
export function SchemeSwitch({ look }: { look: Look }) {
  const now = look.scheme.value
  const next = schemes[(schemes.indexOf(now) + 1) % schemes.length]!
  return (
    <button
      type="button"
      class="icon-button"
      onClick={() => look.choose(next)}
      aria-label={`Colours: ${names[now]}. Change to ${names[next]}.`}
      title={`Colours: ${names[now]}`}
    >
      <Icon name={icons[now]} />
    </button>
  )
}
