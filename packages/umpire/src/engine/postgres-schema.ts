// The database of a fleet: tables, and functions that do all the work. Everything lies in the schema `umpire`, which belongs to the role that
// ran `umpire engine init`. Clients and conductors log in as that role. Workers log in as members of the role `umpire_worker`, which may
// call the functions of "doors for workers" and read no table:  create role ci login password '…' in role umpire_worker;
// Locks are taken in one order everywhere: the lock of claims, then the session, then its offers by id. Whoever cannot have a session at
// once leaves it out. Notifications carry no names and no tokens: every role may listen. A hostile worker that keeps a transaction open
// can delay others, and change nothing.

/** Migrations, oldest first. The version of a database is how many it has had. Never edit one that was released. */
export const MIGRATIONS: readonly string[] = [
  String.raw`
create table umpire.sessions (
  session text collate "C" primary key,
  length integer not null default 0,
  tenant text not null default '',
  state text,
  summary text,
  wake_at timestamptz,
  created timestamptz not null default clock_timestamp(),
  changed timestamptz not null default clock_timestamp(),
  turned timestamptz not null default clock_timestamp()
);
create index on umpire.sessions (wake_at) where wake_at is not null;
create index on umpire.sessions (turned) where state = 'running';

create table umpire.lines (
  session text collate "C" not null,
  seq integer not null,
  line text not null check (position(E'\n' in line) = 0),
  primary key (session, seq)
);

-- body and reply are JSON as text: jsonb refuses some characters that agents print.
create table umpire.inputs (
  id bigint generated always as identity primary key,
  session text collate "C" not null,
  key text collate "C" not null,
  kind text not null check (kind in ('told', 'claimed', 'handed-in', 'lost', 'woken')),
  body text,
  task text,
  attempt integer,
  worker text,
  token text,
  reply text,
  done_at timestamptz,
  tries integer not null default 0,
  not_before timestamptz not null default '-infinity',
  unique (session, key)
);
create index on umpire.inputs (session, id) where done_at is null;
create index on umpire.inputs (token) where token is not null;

create table umpire.offers (
  id bigint generated always as identity primary key,
  session text collate "C" not null,
  task text not null,
  attempt integer not null,
  labels text[] not null,
  limits text[] not null,
  tenant text not null,
  state text not null default 'offered' check (state in ('offered', 'reserved', 'leased', 'handed-in')),
  worker text,
  token text unique,
  since timestamptz,
  expires timestamptz,
  not_before timestamptz not null default '-infinity',
  unique (session, task, attempt)
);
create index on umpire.offers (tenant) where state <> 'offered';

create table umpire.blobs (
  session text collate "C" not null,
  sha256 text collate "C" not null,
  bytes bytea not null,
  primary key (session, sha256)
);

create table umpire.workers (
  worker text primary key,
  labels text[] not null default '{}',
  slots integer not null default 0,
  draining boolean not null default false,
  seen timestamptz
);

-- One row, locked while an offer is chosen.
create table umpire.claims (lock boolean primary key);
insert into umpire.claims values (true);

create table umpire.limits (name text primary key, most integer not null);

create function umpire.ms(p_time timestamptz) returns double precision language sql immutable
return floor(extract(epoch from p_time) * 1000);

create function umpire.later(p_ms double precision) returns timestamptz language sql volatile
return clock_timestamp() + p_ms * interval '1 millisecond';

create function umpire.add_input(p_session text, p_key text, p_kind text, p_body text,
  p_task text default null, p_attempt integer default null, p_worker text default null, p_token text default null) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare v_id bigint;
begin
  insert into umpire.inputs (session, key, kind, body, task, attempt, worker, token)
    values (p_session, p_key, p_kind, p_body, p_task, p_attempt, p_worker, p_token)
    on conflict (session, key) do nothing returning id into v_id;
  if v_id is null then
    select id into v_id from umpire.inputs where session = p_session and key = p_key;
  end if;
  perform pg_notify('umpire', 'i');
  return v_id;
end $$;

-- Doors for workers ----------------------------------------------------------------------------------------------------------------

-- Reserves the offer of the tenant with the fewest at work, and there the oldest. One claim at a time: counts are exact.
create function umpire.reserve(p_worker text, p_labels text[], p_slots integer, p_lease_ms double precision)
returns table (session text, task text, attempt integer, token text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare v umpire.offers;
begin
  insert into umpire.workers as w (worker, labels, slots, seen) values (p_worker, p_labels, p_slots, clock_timestamp())
    on conflict (worker) do update set labels = excluded.labels, slots = excluded.slots, seen = excluded.seen;
  if (select w.draining from umpire.workers w where w.worker = p_worker) then return; end if;
  if not exists (select from umpire.offers o where o.state = 'offered' and o.labels <@ p_labels) then return; end if;
  -- No advisory lock: any role could hold it.
  perform from umpire.claims for no key update;
  loop
    select o.* into v from umpire.offers o join umpire.sessions s on s.session = o.session
      where o.state = 'offered' and o.not_before <= clock_timestamp() and o.labels <@ p_labels
        and not exists (
          select from umpire.limits l where l.name = any (o.limits)
            and l.most <= (select count(*) from umpire.offers u where u.state <> 'offered' and l.name = any (u.limits)))
      order by (select count(*) from umpire.offers b where b.state <> 'offered' and b.tenant = o.tenant), o.id
      limit 1 for no key update of s skip locked;
    if not found then return; end if;
    update umpire.offers o set state = 'reserved', worker = p_worker, token = gen_random_uuid()::text, since = clock_timestamp(),
        expires = umpire.later(p_lease_ms)
      where o.id = v.id and o.state = 'offered' returning o.* into v;
    exit when found;
  end loop;
  perform umpire.add_input(v.session, 'claimed:' || v.token, 'claimed', null, v.task, v.attempt, p_worker, v.token);
  return query select v.session, v.task, v.attempt, v.token;
end $$;

-- 'leased', 'refused', or 'waiting' for a conductor. With p_cancel, a claim whose turn has not begun is taken back.
create function umpire.claim_state(p_token text, p_cancel boolean) returns table (state text, reply text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare v umpire.offers; v_reply text;
begin
  select o.* into v from umpire.offers o where o.token = p_token;
  if not found then return query select 'refused', null::text; return; end if;
  if v.state = 'reserved' and p_cancel then
    perform from umpire.sessions s where s.session = v.session for no key update skip locked;
    if found then
      delete from umpire.inputs i where i.session = v.session and i.key = 'claimed:' || p_token and i.done_at is null;
      update umpire.offers o set state = 'offered', worker = null, token = null, since = null, expires = null
        where o.token = p_token and o.state = 'reserved';
      if found then
        perform pg_notify('umpire', 'o');
        return query select 'refused', null::text;
        return;
      end if;
      select o.* into v from umpire.offers o where o.token = p_token;
      if not found then return query select 'refused', null::text; return; end if;
    end if;
  end if;
  if v.state = 'reserved' then return query select 'waiting', null::text; return; end if;
  select i.reply into v_reply from umpire.inputs i where i.session = v.session and i.key = 'claimed:' || p_token;
  return query select 'leased', v_reply;
end $$;

create function umpire.beat(p_worker text, p_tokens text[], p_lease_ms double precision) returns table (lost text[], draining boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare v_held bigint[];
begin
  insert into umpire.workers as w (worker, seen) values (p_worker, clock_timestamp()) on conflict (worker) do update set seen = excluded.seen;
  select coalesce(array_agg(h.id), '{}') into v_held from (
    select o.id from umpire.offers o where o.token = any (p_tokens) and o.worker = p_worker
      and (o.state = 'handed-in' or o.state = 'leased' and o.expires > clock_timestamp()) order by o.id for update) h;
  update umpire.offers o set expires = umpire.later(p_lease_ms) where o.id = any (v_held);
  return query select
    array(select t from unnest(p_tokens) t where not exists (select from umpire.offers o where o.id = any (v_held) and o.token = t)),
    (select w.draining from umpire.workers w where w.worker = p_worker);
end $$;

-- Whether the token holds an attempt; then its row is locked.
create function umpire.held(p_token text) returns setof umpire.offers
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select * from umpire.offers o where o.token = p_token and (o.state = 'handed-in' or o.state = 'leased' and o.expires > clock_timestamp())
    for update
$$;

-- The number of the input whose reply the worker waits for; null: the lease was lost.
create function umpire.hand_in(p_token text, p_result text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare v umpire.offers;
begin
  select * into v from umpire.held(p_token);
  if not found then return (select id from umpire.inputs where token = p_token and kind = 'handed-in'); end if;
  update umpire.offers set state = 'handed-in' where id = v.id;
  return umpire.add_input(v.session, 'handed-in:' || p_token, 'handed-in', p_result, v.task, v.attempt, v.worker, p_token);
end $$;

create function umpire.hand_in_reply(p_token text) returns table (is_done boolean, reply text)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select i.done_at is not null, i.reply from umpire.inputs i where i.token = p_token and i.kind = 'handed-in'
$$;

create function umpire.give_back(p_token text, p_why text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare v umpire.offers;
begin
  select * into v from umpire.held(p_token);
  if found and v.state = 'leased' then perform umpire.lose(v, p_why); end if;
end $$;

create function umpire.lose(p_offer umpire.offers, p_why text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from umpire.offers where id = p_offer.id;
  delete from umpire.inputs where session = p_offer.session and key = 'claimed:' || p_offer.token;
  perform umpire.add_input(p_offer.session, 'lost:' || p_offer.token, 'lost', p_why, p_offer.task, p_offer.attempt, p_offer.worker,
    p_offer.token);
end $$;

create function umpire.session_of(p_token text) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare v umpire.offers;
begin
  select * into v from umpire.held(p_token);
  if not found then raise exception 'the lease has ended' using errcode = 'UM001'; end if;
  return v.session;
end $$;

create function umpire.lease_lines(p_token text, p_from integer) returns table (line text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare v_session text := umpire.session_of(p_token);
begin
  return query select l.line from umpire.lines l where l.session = v_session and l.seq >= p_from order by l.seq;
end $$;

create function umpire.put_blob(p_session text, p_bytes bytea) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare v_sha256 text := encode(sha256(p_bytes), 'hex');
begin
  insert into umpire.blobs (session, sha256, bytes) values (p_session, v_sha256, p_bytes) on conflict do nothing;
  return v_sha256;
end $$;

create function umpire.lease_put_blob(p_token text, p_bytes bytea) returns text
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select umpire.put_blob(umpire.session_of(p_token), p_bytes)
$$;

create function umpire.lease_blob(p_token text, p_sha256 text) returns bytea
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare v_session text := umpire.session_of(p_token);
begin
  return (select b.bytes from umpire.blobs b where b.session = v_session and b.sha256 = p_sha256);
end $$;

-- For clients ----------------------------------------------------------------------------------------------------------------------

create function umpire.tell(p_session text, p_key text, p_message text) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into umpire.sessions (session) values (p_session) on conflict do nothing;
  return umpire.add_input(p_session, 'told:' || p_key, 'told', p_message);
end $$;

create function umpire.import(p_session text, p_lines text[], p_summary text, p_tenant text, p_state text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into umpire.sessions (session, length, summary, tenant, state)
    values (p_session, cardinality(p_lines), p_summary, p_tenant, p_state) on conflict do nothing;
  if not found then raise exception 'the name is taken' using errcode = 'UM002'; end if;
  insert into umpire.lines (session, seq, line) select p_session, n - 1, l from unnest(p_lines) with ordinality as u (l, n);
  perform pg_notify('umpire', 'i');
end $$;

-- For conductors -------------------------------------------------------------------------------------------------------------------

-- Locks a session that has an input to deliver, until the transaction ends, and returns the input. No row: there is none.
create function umpire.begin_turn(p_skip text[]) returns table (session text, length integer, now_ms double precision,
  id bigint, kind text, body text, task text, attempt integer, worker text, token text, tries integer)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare s umpire.sessions; i umpire.inputs;
begin
  loop
    select x.* into s from umpire.sessions x
      where x.session <> all (p_skip)
        and x.session in (select p.session from umpire.inputs p where p.done_at is null and p.not_before <= clock_timestamp())
      order by (select min(p.id) from umpire.inputs p where p.session = x.session and p.done_at is null)
      limit 1 for no key update skip locked;
    if not found then return; end if;
    loop
      select p.* into i from umpire.inputs p
        where p.session = s.session and p.done_at is null and p.not_before <= clock_timestamp() order by p.id limit 1;
      exit when not found or i.kind not in ('claimed', 'handed-in') or exists (select from umpire.offers o where o.token = i.token);
      -- Its lease or reservation has ended meanwhile.
      update umpire.inputs p set done_at = clock_timestamp(), reply = 'null', body = null where p.id = i.id;
      perform pg_notify('umpire', 'r' || i.id);
    end loop;
    if i.id is not null then
      return query select s.session, s.length, umpire.ms(clock_timestamp()), i.id, i.kind, i.body, i.task, i.attempt, i.worker, i.token, i.tries;
      return;
    end if;
  end loop;
end $$;

create function umpire.commit_turn(p_input bigint, p_session text, p_length integer, p_lines text[], p_offers json, p_running json,
  p_wake_ms double precision, p_summary text, p_tenant text, p_state text, p_reply text, p_lease_ms double precision,
  p_refused_ms double precision) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  i umpire.inputs; o umpire.offers; v_running boolean; v_mine boolean; v_again json;
  v_tenant text := coalesce(p_tenant, '');
begin
  update umpire.inputs set done_at = clock_timestamp(), reply = p_reply, body = null
    where id = p_input and done_at is null returning * into i;
  if not found then raise exception 'the input was taken' using errcode = 'UM003'; end if;
  update umpire.sessions set length = length + cardinality(p_lines), summary = p_summary, tenant = v_tenant, state = p_state,
      wake_at = to_timestamp(p_wake_ms / 1000), turned = clock_timestamp(),
      changed = case when cardinality(p_lines) > 0 then clock_timestamp() else changed end
    where session = p_session and length = p_length;
  if not found then raise exception 'the journal has grown' using errcode = 'UM003'; end if;
  insert into umpire.lines (session, seq, line) select p_session, p_length + n - 1, l from unnest(p_lines) with ordinality as u (l, n);

  for o in select * from umpire.offers where session = p_session order by id for update loop
    v_running := exists (select from json_array_elements(p_running) r where r ->> 'task' = o.task and (r ->> 'attempt')::integer = o.attempt);
    v_mine := o.token is not null and o.token = i.token;
    v_again := (select r from json_array_elements(p_offers) r where r ->> 'task' = o.task and (r ->> 'attempt')::integer = o.attempt limit 1);
    continue when o.state in ('leased', 'handed-in') and v_running and not (i.kind = 'handed-in' and v_mine);
    if o.state = 'reserved' and v_mine and p_reply <> 'null' and v_running then
      update umpire.offers set state = 'leased', since = clock_timestamp(), expires = umpire.later(p_lease_ms), tenant = v_tenant
        where id = o.id;
    elsif o.state in ('leased', 'handed-in') or v_again is null then
      delete from umpire.offers where id = o.id;
      delete from umpire.inputs where session = p_session and key = 'claimed:' || o.token and done_at is not null;
    else
      update umpire.offers set labels = array(select json_array_elements_text(v_again -> 'labels')),
          limits = array(select json_array_elements_text(v_again -> 'limits')), tenant = v_tenant where id = o.id;
      if v_mine then
        update umpire.offers set state = 'offered', worker = null, token = null, since = null, expires = null,
          not_before = umpire.later(p_refused_ms) where id = o.id;
      end if;
    end if;
  end loop;
  insert into umpire.offers (session, task, attempt, labels, limits, tenant)
    select p_session, r ->> 'task', (r ->> 'attempt')::integer, array(select json_array_elements_text(r -> 'labels')),
        array(select json_array_elements_text(r -> 'limits')), v_tenant
      from json_array_elements(p_offers) with ordinality as u (r, n) order by n
    on conflict (session, task, attempt) do nothing;

  if i.kind in ('lost', 'woken') then delete from umpire.inputs where id = p_input; end if;
  perform pg_notify('umpire', 'r' || p_input);
  perform pg_notify('umpire', 'l' || md5(p_session));
  -- Whoever looked for inputs meanwhile left this session out.
  if exists (select from umpire.inputs where session = p_session and done_at is null) then perform pg_notify('umpire', 'i'); end if;
  if exists (select from umpire.offers where state = 'offered') then perform pg_notify('umpire', 'o'); end if;
end $$;

-- What time alone brings about: leases and reservations that expired, wake-ups, sessions that nothing would continue.
-- Returns when it should be called next, in milliseconds from now; null: nothing is planned.
create function umpire.sweep(p_lease_ms double precision, p_sweep_ms double precision) returns double precision
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare o umpire.offers; v_session text;
begin
  for o in select * from umpire.offers where state = 'leased' and expires <= clock_timestamp() order by id for update skip locked loop
    perform umpire.lose(o, format('%s did not answer for %s s', o.worker, round(p_lease_ms / 1000)));
  end loop;
  -- A worker that went away while it waited for the answer to its claim.
  for o in select x.* from umpire.sessions s join umpire.offers x on x.session = s.session
      where x.state = 'reserved' and x.expires <= clock_timestamp() order by s.session for no key update of s skip locked loop
    delete from umpire.inputs where session = o.session and key = 'claimed:' || o.token and done_at is null;
    update umpire.offers set state = 'offered', worker = null, token = null, since = null, expires = null
      where id = o.id and state = 'reserved' and token = o.token;
    perform pg_notify('umpire', 'o');
  end loop;
  for v_session in
    select s.session from umpire.sessions s
      where s.wake_at <= clock_timestamp()
        or s.state = 'running' and s.wake_at is null and s.turned <= umpire.later(-p_sweep_ms)
          and not exists (select from umpire.offers x where x.session = s.session)
          and not exists (select from umpire.inputs p where p.session = s.session and p.done_at is null)
      order by s.session for no key update skip locked loop
    update umpire.sessions set wake_at = null, turned = clock_timestamp() where session = v_session;
    perform umpire.add_input(v_session, 'woken:' || gen_random_uuid(), 'woken', null);
  end loop;
  return (select extract(epoch from min(t) - clock_timestamp()) * 1000 from (
    select min(expires) from umpire.offers where state in ('leased', 'reserved')
    union all select min(wake_at) from umpire.sessions
    union all select min(not_before) from umpire.inputs where done_at is null and not_before > clock_timestamp()) as u (t));
end $$;

revoke all on all functions in schema umpire from public;
grant usage on schema umpire to umpire_worker;
grant execute on function umpire.version(), umpire.reserve, umpire.claim_state, umpire.beat, umpire.hand_in, umpire.hand_in_reply,
  umpire.give_back, umpire.lease_lines, umpire.lease_put_blob, umpire.lease_blob to umpire_worker;
`,
];

/** Runs in one transaction before the migrations, on a new database and on an old one. */
export const FOUNDATION = String.raw`
create schema if not exists umpire;
revoke all on schema umpire from public;
create table if not exists umpire.schema_version (version integer not null);
insert into umpire.schema_version select 0 where not exists (select from umpire.schema_version);
do $$ begin
  if not exists (select from pg_roles where rolname = 'umpire_worker') then create role umpire_worker nologin; end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then raise exception 'this login may not create the role umpire_worker' using errcode = 'UM004';
end $$;
create or replace function umpire.version() returns integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$ select version from umpire.schema_version $$;
`;
