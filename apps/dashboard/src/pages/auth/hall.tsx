/** A letter for each place: s an agent, o a person; capitals work right now. */
const rows = [
  '.ss...sooos',
  '.sSossosoo.',
  's..so.O.o.s',
  's..os..ooso',
  '..oSo.oosss',
  'sooo..ssOs.',
  '.Ss.ossss o',
  '..sso.O....',
  'ssoo.o...so',
  'oossSsoosOo',
  '...sss.o.so',
  '......s.oo.',
  '......s.s..',
  '......oosoo',
]
const pitch = 60
const size = 25

const places = rows.flatMap((row, y) =>
  Array.from(row, (place, x) => ({ place, x: (x + 1) * pitch, y: (y + 1) * pitch })),
)

/** People and agents in one hall: the idea of the product as a picture. */
export function Hall() {
  return (
    <aside className="relative hidden basis-1/2 overflow-hidden border-line border-l bg-canvas lg:block">
      <svg
        viewBox={`0 0 ${pitch * 12} ${pitch * 15}`}
        preserveAspectRatio="xMidYMid slice"
        aria-hidden="true"
        className="absolute inset-0 size-full"
      >
        {places.map((each) => (
          <Place key={`${each.x} ${each.y}`} {...each} />
        ))}
      </svg>
      <div className="absolute bottom-11 left-11 max-w-72">
        <h2 className="font-semibold text-[18px] leading-7">People and agents, one hall.</h2>
        <p className="mt-1 text-ink-2 text-read">
          Circles are people. Squares are agents.
          <br />A ring means: at work right now.
        </p>
      </div>
    </aside>
  )
}

interface PlaceProps {
  readonly place: string
  readonly x: number
  readonly y: number
}

function Place({ place, x, y }: PlaceProps) {
  const kind = place.toLowerCase()
  if (kind !== 's' && kind !== 'o') return null
  const isWorking = place !== kind
  const square = (width: number, radius: number) => ({
    x: x - width / 2,
    y: y - width / 2,
    width,
    height: width,
    rx: radius,
  })
  return (
    <g
      className={`hall-place${isWorking ? ' hall-working' : ''}`}
      data-kind={kind === 's' ? 'agent' : 'person'}
      data-tint={(y / pitch) % 6}
    >
      <rect {...square(size, kind === 's' ? 6 : size / 2)} />
      {isWorking && <rect className="hall-ring" {...square(size + 11, kind === 's' ? 9 : (size + 11) / 2)} />}
    </g>
  )
}
