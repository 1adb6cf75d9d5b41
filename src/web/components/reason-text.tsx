/** Shows a sentence of the service. Text between backquotes becomes code, and paths of guide pages become links. */
export function ReasonText({ text }: { text: string }) {
  return (
    <span>
      {text.split(/(`[^`]+`|\/guide\/[\w#/-]+)/).map((part, i) => {
        if (part.startsWith('`')) return <code key={i}>{part.slice(1, -1)}</code>
        return part.startsWith('/guide/') ? (
          <a key={i} href={part}>
            {part}
          </a>
        ) : (
          part
        )
      })}
    </span>
  )
}
