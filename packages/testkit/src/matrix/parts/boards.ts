import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import {
  identified,
  type MatrixPart,
  type NewWorkspace,
  numbered,
  outsiderEmail,
  type Scene,
  type Value,
} from '../part.ts'
import { addAttachment, addCycle, sendAttachment } from './board-files.ts'
import { addImport, addImported } from './board-imports.ts'
import { addHook, addTold, hookRows } from './hook-rows.ts'

export const boardsPart: MatrixPart = {
  resources: {
    board: {
      ...identified,
      // What is fresh on a board is created on the one that is there.
      fresh: (call) => (call.kinds.every((each) => each === 'board') ? addBoard(call) : undefined),
    },
    column: { ...identified, fresh: (call) => addColumn(call, call.own.board) },
    column_beside: identified,
    card: {
      ...identified,
      // The answered comment is on the card that is there.
      fresh: (call) => (call.kinds.includes('answered_comment') ? undefined : addCard(call, call.own)),
    },
    card_above: identified,
    card_below: identified,
    comment: {
      ...identified,
      fresh: (call) => addComment(call, call.own.card, call.caller.person_id),
    },
    answered_comment: identified,
    attachment: {
      ...identified,
      fresh: (call) => addAttachment(call, call.own.card, call.caller.person_id),
    },
    view: { ...identified, fresh: (call) => addView(call, call.caller.person_id) },
    // Those of earlier calls go: a workspace has room for few.
    hook: { ...identified, fresh: (call) => addHook(call, 'fresh') },
    label: { ...identified, fresh: (call) => addLabel(call, call.own.board) },
    label_beside: identified,
    cycle: {
      ...identified,
      // A board has one active cycle; cards that go into it, and those that are carried to it, are on the board that is there.
      fresh: (call) =>
        call.kinds.includes('card') || call.kinds.includes('closing_cycle')
          ? undefined
          : addBoard(call).then((board) => addCycle(call, board)),
    },
    closing_cycle: identified,
    checklist_item: {
      ...identified,
      // Those beside it are on the card that is there.
      fresh: (call) =>
        call.kinds.includes('checklist_item_below') ? undefined : addItem(call, call.own.card),
    },
    checklist_item_above: identified,
    checklist_item_below: identified,
    // One import of a board runs at a time.
    import: { ...identified, fresh: async (call) => addImport(call, await addBoard(call)) },
    run: { ...identified, fresh: (call) => addRun(call, call.own.card) },
    claim: { ...identified, fresh: (call) => addClaim(call, call.made.card) },
    board_guest: { ...numbered, fresh: (call) => addGuest(call, call.own.board) },
    shared_board: { ...identified, belongs_to: 'guests' },
    shared_card: { ...identified, belongs_to: 'guests' },
    shared_comment: { ...identified, belongs_to: 'guests' },
    shared_attachment: { ...identified, belongs_to: 'guests' },
    relation_kind: { own: 'relates', missing: 'hates', refused: 404 },
  },
  bodies: {
    'boards.createBoard': () => ({ name: 'made by the matrix', key: newKey() }),
    'boards.changeBoard': { description: 'written by the matrix' },
    'boards.addColumn': () => ({ status: 'done', name: `m${randomBytes(6).toString('hex')}` }),
    'boards.changeColumn': { wip_limit: 7 },
    'boards.createCard': { title: 'made by the matrix' },
    'boards.writeBatch': {
      atomic: true,
      operations: [
        { op: 'move' },
        { op: 'create', task: { title: 'made by the matrix' }, relations: [{ kind: 'relates' }] },
      ],
    },
    'boards.changeCard': { title: 'named by the matrix' },
    'boards.moveCard': {},
    'boards.archiveCard': {},
    'boards.claimCard': {},
    'boards.claimNext': {},
    'boards.extendClaim': { epoch: 1 },
    'boards.releaseClaim': { epoch: 1 },
    'boards.startRun': {},
    'boards.changeRun': { summary: 'written by the matrix' },
    'boards.nextWork': {},
    'boards.finishRun': { status: 'succeeded', comment: 'written by the matrix' },
    'boards.addComment': { body: 'written by the matrix' },
    'boards.changeComment': { body: 'written by the matrix' },
    'boards.createView': { name: 'made by the matrix', filters: { label: 'matrix' } },
    'boards.changeView': { name: 'named by the matrix' },
    'boards.createHook': () => ({ service: 'github', url: `https://github.com/matrix/${randomUUID()}` }),
    'boards.changeHook': { board_ids: null },
    'boards.setMergeMove': { column: null },
    'boards.createLabel': () => ({ name: `m${randomBytes(6).toString('hex')}` }),
    'boards.changeLabel': { color: '#00ff00' },
    'boards.mergeLabel': {},
    'boards.createCycle': () => {
      const day = new Date(Date.UTC(2100 + randomInt(5000), 0, 1 + randomInt(365))).toISOString().slice(0, 10)
      return { name: 'made by the matrix', starts_on: day, ends_on: day }
    },
    'boards.changeCycle': { goal: 'written by the matrix' },
    'boards.addCycleCards': {},
    'boards.closeCycle': {},
    'boards.addChecklistItems': { checklist: ['written by the matrix'] },
    'boards.changeChecklistItem': { done: true },
    'boards.startImport': {},
    'boards.undoImport': {},
    'boards.addBoardGuest': { email: outsiderEmail, role: 'viewer' },
    'boards.changeBoardGuest': { role: 'editor' },
    'boards.createSharedCard': { title: 'made by the matrix' },
    'boards.changeSharedCard': { description: 'written by the matrix' },
    'boards.addSharedComment': { body: 'written by the matrix' },
  },
  queries: { 'boards.listSums': { by: 'board' } },
  refused_as: {
    'boards.createBoard body.project_id': 400,
    'boards.changeBoard body.project_id': 400,
    'boards.listActivity query.task_id': 400,
    'boards.createHook body.board_ids': 400,
    'boards.changeHook body.board_ids': 400,
    'boards.listMasterCards query.board_ids': 403,
    'boards.writeBatch body.operations.task_id': 409,
    'boards.writeBatch body.operations.before_id': 409,
    'boards.writeBatch body.operations.after_id': 409,
    'boards.writeBatch body.operations.relations.other_id': 409,
    'boards.listSums query.board_ids': 403,
    'boards.listMasterCards query.parent': 400,
    'boards.listMasterCards query.cycle': 400,
    'boards.searchCards query.cycle': 400,
    'boards.listCards query.cycle': 400,
    'boards.searchCards query.board_ids': 403,
    'boards.searchCards query.parent': 400,
    'boards.listCards query.parent': 400,
    'boards.moveCard body.before_id': 400,
    'boards.moveCard body.after_id': 400,
    'boards.addComment body.parent_id': 400,
    'boards.addSharedComment body.parent_id': 400,
    'boards.mergeLabel body.into': 400,
    'boards.closeCycle body.carry_to': 400,
    'boards.changeChecklistItem body.before_id': 400,
    'boards.changeChecklistItem body.after_id': 400,
    'boards.extendClaim body.claim_id': 409,
    'boards.releaseClaim body.claim_id': 409,
  },
  rows: addRows,
  tenant_rows: `
    insert into boards.boards (brand_id, id, key, name, board_type)
    select id, gen_random_uuid(), 'CORE', 'Board', 'kanban' from identity.brands;
    insert into boards.columns (brand_id, board_id, name, name_key, status, rank)
    select brand_id, id, 'To do', 'to do', 'pending', 'a0' from boards.boards;
    insert into boards.cards (brand_id, board_id, number, column_id, rank, title, status, task_type, reporter, created_by, updated_by)
    select k.brand_id, k.board_id, n, k.id, 'a' || n, 'Card', 'pending', 'coding', '{}', '{}', '{}'
    from boards.columns k, generate_series(1, 2) as n;
    insert into boards.card_texts (brand_id, card_id) select brand_id, id from boards.cards;
    insert into boards.comments (brand_id, card_id, body, author) select brand_id, id, 'Text', '{}' from boards.cards;
    insert into boards.checklist_items (brand_id, card_id, text, place) select brand_id, id, 'Text', 1 from boards.cards;
    insert into boards.attachments (brand_id, card_id, object_key, name, content_type, size, sha256, created_by)
    select brand_id, id, id::text, 'file', 'text/plain', 1, repeat('0', 64), '{}' from boards.cards;
    insert into boards.labels (brand_id, board_id, name, is_kept) select brand_id, id, 'Label', true from boards.boards;
    insert into boards.watchers (brand_id, card_id, person_id, is_watching)
    select c.brand_id, c.id, m.person_id, true from boards.cards c join identity.memberships m using (brand_id);
    insert into boards.cycles (brand_id, board_id, name, starts_on, ends_on)
    select brand_id, id, 'Cycle', '2026-03-09', '2026-03-22' from boards.boards;
    insert into boards.imports (brand_id, board_id, source, file_name) select brand_id, id, 'csv', 'a.csv' from boards.boards;
    insert into boards.import_rows (brand_id, import_id, place, client_ref, card)
    select brand_id, id, 1, 'csv:1', '{}' from boards.imports;
    insert into boards.import_cards (brand_id, import_id, card_id, place, file_row)
    select i.brand_id, i.id, c.id, c.number, c.number from boards.imports i join boards.cards c using (brand_id, board_id);
    insert into boards.views (brand_id, name, is_shared, filters) select id, 'View', true, '{}' from identity.brands;
    ${hookRows}
    insert into boards.relations (brand_id, card_id, kind, other_id)
    select a.brand_id, a.id, 'blocks', b.id from boards.cards a join boards.cards b using (brand_id)
    where a.number = 1 and b.number = 2;
    insert into boards.runs (brand_id, card_id, number, started_by) select brand_id, id, 1, '{}' from boards.cards;
    update boards.runs set usage_tokens = 1;
    insert into boards.guests (brand_id, board_id, person_id, role)
    select brand_id, id, 1, 'viewer' from boards.boards;
    insert into boards.activity (brand_id, board_id, created_at, action, actor)
    select brand_id, id, now(), 'board.created', '{}' from boards.boards`,
  empty_tables: ['boards.relations'],
}

/** A board with two columns, three cards in the first of them, and a comment and a run on the middle one. */
async function addRows(workspace: NewWorkspace) {
  const { admin, brand_id, guest_id, is_foreign } = workspace
  const board = await addBoard(workspace)
  const column = await addColumn(workspace, board, 'a0')
  const column_beside = await addColumn(workspace, board, 'a1')
  const card_above = await addCard(workspace, { board, column }, 'a0')
  const card = await addCard(workspace, { board, column }, 'a1')
  const card_below = await addCard(workspace, { board, column }, 'a2')
  const comment = await addComment(workspace, card)
  const attachment = await sendAttachment(workspace, card)
  const checklist_item_above = await addItem(workspace, card)
  const checklist_item = await addItem(workspace, card)
  const checklist_item_below = await addItem(workspace, card)
  const label = await addLabel(workspace, board)
  const label_beside = await addLabel(workspace, board)
  const cycle = await addCycle(workspace, board)
  const closing_cycle = await addCycle(workspace, board, '2026-02-02')
  const view = await addView(workspace)
  const imported = await addImport(workspace, board)
  await addImported(workspace, imported, card)
  const hook = await addHook(workspace, 'kept')
  if (is_foreign) await addTold(workspace, { hook, board, column, card })
  const run = await addRun(workspace, card)
  const board_guest = await addGuest(workspace, board)
  await admin.query(
    'insert into boards.watchers (brand_id, card_id, person_id, is_watching) values ($1, $2, $3, true)',
    [brand_id, card, workspace.owner.id],
  )
  if (!is_foreign)
    await admin.query(
      `insert into boards.guests (brand_id, board_id, person_id, role) values ($1, $2, $3, 'editor')`,
      [brand_id, board, guest_id],
    )
  return {
    board,
    shared_board: board,
    column,
    column_beside,
    card,
    card_above,
    card_below,
    shared_card: card,
    // Nobody holds the cards that are there already.
    claim: card,
    comment,
    answered_comment: comment,
    view,
    import: imported,
    hook,
    label,
    label_beside,
    cycle,
    closing_cycle,
    checklist_item,
    checklist_item_above,
    checklist_item_below,
    shared_comment: comment,
    attachment,
    shared_attachment: attachment,
    run,
    board_guest,
  }
}

/** No two boards have one key. */
const newKey = () => [...randomBytes(9)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('')
const newRank = () => `b0${randomUUID().replaceAll('-', '')}1`

async function addBoard(scene: Scene): Promise<string> {
  const { admin, brand_id, mark } = scene
  const id = randomUUID()
  await admin.query(
    `insert into boards.boards (brand_id, id, key, name, board_type) values ($1, $2, $3, $4, 'kanban')`,
    [brand_id, id, newKey(), `B ${mark}`],
  )
  await admin.query('insert into boards.board_ids (id) values ($1)', [id])
  await addColumn(scene, id, 'Zz')
  return id
}

async function addColumn(
  { admin, brand_id, mark }: Scene,
  board_id: Value | undefined,
  rank = newRank(),
): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into boards.columns (brand_id, board_id, id, name, name_key, status, rank)
     values ($1, $2, $3, $4, $4, 'pending', $5)`,
    [brand_id, board_id, id, `c ${mark} ${id}`, rank],
  )
  return id
}

async function addCard(
  { admin, brand_id, mark }: Scene,
  { board, column }: Readonly<Record<string, Value>>,
  rank = newRank(),
): Promise<string> {
  const id = randomUUID()
  const actor = JSON.stringify({ kind: 'member', id: '1', name: `A ${mark}`, on_behalf_of: null })
  await admin.query(
    `with board as (
       update boards.boards set next_number = next_number + 1, card_count = card_count + 1
       where brand_id = $1 and id = $2 returning next_number
     ), in_column as (
       update boards.columns set card_count = card_count + 1 where brand_id = $1 and id = $4
     )
     insert into boards.cards (brand_id, board_id, id, number, column_id, rank, title, status, task_type,
       reporter, created_by, updated_by)
     select $1, $2, $3, next_number - 1, $4, $5, $6, 'pending', 'coding', $7, $7, $7 from board`,
    [brand_id, board, id, column, rank, `T ${mark}`, actor],
  )
  await admin.query('insert into boards.card_texts (brand_id, card_id, notes) values ($1, $2, $3)', [
    brand_id,
    id,
    `N ${mark}`,
  ])
  return id
}

async function addComment(
  { admin, brand_id, mark }: Scene,
  card_id: Value | undefined,
  person_id = 1,
): Promise<string> {
  const id = randomUUID()
  const author = JSON.stringify({ kind: 'member', id: String(person_id), name: 'A', on_behalf_of: null })
  await admin.query(
    'insert into boards.comments (brand_id, id, card_id, body, author) values ($1, $2, $3, $4, $5)',
    [brand_id, id, card_id, `C ${mark}`, author],
  )
  return id
}

/** A shared one that nobody owns, or one of the caller. */
async function addView({ admin, brand_id, mark }: Scene, person_id: number | null = null): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into boards.views (brand_id, id, person_id, name, is_shared, filters) values ($1, $2, $3, $4, true, '{}')`,
    [brand_id, id, person_id, `V ${mark}`],
  )
  return id
}

async function addLabel({ admin, brand_id, mark }: Scene, board_id: Value | undefined): Promise<string> {
  const id = randomUUID()
  await admin.query(
    'insert into boards.labels (brand_id, id, board_id, name, is_kept) values ($1, $2, $3, $4, true)',
    [brand_id, id, board_id, `L ${mark} ${id.slice(0, 8)}`],
  )
  return id
}

async function addItem({ admin, brand_id, mark }: Scene, card_id: Value | undefined): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `with card as (update boards.cards set items_total = items_total + 1 where brand_id = $1 and id = $3)
     insert into boards.checklist_items (brand_id, id, card_id, text, place) values ($1, $2, $3, $4,
       (select count(*) + 1 from boards.checklist_items where brand_id = $1 and card_id = $3))`,
    [brand_id, id, card_id, `I ${mark}`],
  )
  return id
}

/** A run that goes on. */
async function addRun({ admin, brand_id }: Scene, card_id: Value | undefined): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into boards.runs (brand_id, id, card_id, number, started_by, usage_tokens)
     select $1, $2, $3, coalesce(max(number), 0) + 1, '{"kind":"member","id":"1","name":"A","on_behalf_of":null}', 7
     from boards.runs where brand_id = $1 and card_id = $3`,
    [brand_id, id, card_id],
  )
  return id
}

/** A claim with epoch 1. */
async function addClaim({ admin, brand_id }: Scene, card_id: Value | undefined): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `update boards.cards set claim_id = $3, claim_epoch = 1, claim_holder = created_by,
       claim_expires_at = now() + interval '1 hour'
     where brand_id = $1 and id = $2`,
    [brand_id, card_id, id],
  )
  return id
}

async function addGuest({ admin, brand_id, mark }: Scene, board_id: Value | undefined): Promise<number> {
  const { rows } = await admin.query<{ person_id: number }>(
    `with person as (insert into identity.people (email, full_name, email_verified) values ($3, $4, true) returning id)
     insert into boards.guests (brand_id, board_id, person_id, role)
     select $1, $2, id, 'viewer' from person returning person_id`,
    [brand_id, board_id, `${mark}-${randomUUID()}@example.test`, `G ${mark}`],
  )
  return rows[0]?.person_id ?? 0
}
