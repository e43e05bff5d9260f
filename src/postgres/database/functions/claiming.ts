import { rowsOf } from '../text.js';

/**
 * Settles attempts and then claims deliveries, for many callers at once.
 *
 * To avoid deadlocks, every transaction locks rows in the same order: subscriptions, then deliveries, each by their keys.
 */
export const claimingFunctions = `
create function :schema.settle_and_claim(
  workspace_id text,
  -- The attempts.
  ids text[], tokens text[], numbers int[], attempts_made text[], failures boolean[], statuses text[],
  due_ats double precision[], wholes boolean[],
  -- The claims, one for each subscription.
  claim_subscriptions text[], claim_nows double precision[], claim_limits int[],
  claim_token text, claim_holder text, claim_lease double precision,
  -- How many attempts of a subscription can run at once. Null: no limit.
  most_running int, most_running_while_failing int
) returns table (
  -- 'settled', 'claimed' or 'busy', and the index of its attempt or claim.
  outcome text, of_index int, id text, subscription_id text, event text, url text, body bytea, status text, attempts text,
  redelivery_of text, due_at double precision, created_at double precision, subscription text
) language plpgsql
as $$
#variable_conflict use_column
declare
  owner bigint;
  target record;
  room int;
begin
  select w.number into owner from :schema.workspaces w where w.id = workspace_id;
  if 'pending' = any (statuses) then
    perform :schema.lock_subscriptions(owner, array(
      select d.subscription_id
      from ${rowsOf('ids', 'statuses')} as given (id, status)
        join :schema.deliveries d on d.workspace = owner and d.id = given.id
      where given.status = 'pending'
    ));
  end if;

  if cardinality(ids) > 0 then
    return query
    with settled as (
      update :schema.deliveries d
      set attempts = array_append(d.attempts, g.attempt::json),
        (status, due_at) = (
          select f.status, case when f.status = 'pending' then g.due_at end
          from (
            select case
              when g.status = 'pending' and not exists (
                select from :schema.subscriptions s where s.workspace = owner and s.id = d.subscription_id
              ) then 'cancelled'
              else g.status
            end
          ) as f (status)
        ),
        token = null, holder = null, lease_until = null
      from ${rowsOf('ids', 'tokens', 'numbers', 'attempts_made', 'failures', 'statuses', 'due_ats', 'wholes')}
        as g (id, token, number, attempt, failure, status, due_at, whole, index)
      where d.workspace = owner and d.id = g.id and d.token = g.token
        and cardinality(d.attempts) + 1 = g.number
      returning g.index, g.failure, d.id, d.subscription_id, d.event, d.url, d.status, d.redelivery_of,
        d.due_at, d.created_at,
        case when g.whole then d.body end as body,
        case when g.whole then array_to_json(d.attempts)::text end as attempts
    ),
    latest as (
      select distinct on (s.subscription_id) s.subscription_id, s.failure
      from settled s
      order by s.subscription_id, s.index desc
    ),
    turned as (
      select latest.subscription_id as id, latest.failure
      from latest, lateral (
        select from :schema.subscriptions s
        where s.workspace = owner and s.id = latest.subscription_id and s.failing <> latest.failure
        for no key update
      ) held
    ),
    told as (
      update :schema.subscriptions s set failing = turned.failure
      from turned
      where s.workspace = owner and s.id = turned.id
    ),
    woken as (
      select count(*) from settled s, lateral :schema.wake_at(owner, 'deliveries', s.subscription_id, s.due_at)
      where s.status = 'pending'
    )
    select 'settled', s.index::int, s.id, s.subscription_id, s.event, s.url, s.body, s.status, s.attempts,
      s.redelivery_of, s.due_at, s.created_at, null::text
    from settled s
    -- Always true. A subquery runs once, and a CTE that nothing refers to does not run.
    where (select count from woken) is not null;
  end if;

  for i in 1 .. cardinality(claim_subscriptions) loop
    select s.id, s.record::text as record, case when s.failing then most_running_while_failing else most_running end as most
    into target
    from :schema.subscriptions s
    where s.workspace = owner and s.id = claim_subscriptions[i];

    if not found then
      -- Cannot be claimed again: a replica stopped with the claim, and the subscription was deleted.
      update :schema.deliveries d
      set status = 'cancelled', due_at = null, token = null, holder = null, lease_until = null
      where d.workspace = owner and d.subscription_id = claim_subscriptions[i]
        and d.status = 'pending' and d.token is not null and d.lease_until <= clock_timestamp();
      continue;
    end if;

    room := claim_limits[i];
    if target.most is not null then
      if not pg_try_advisory_xact_lock(hashtextextended(owner || ' ' || target.id, 0)) then
        -- Another replica is claiming for the same subscription now. The caller repeats this claim.
        return query select 'busy', i, null::text, null::text, null::text, null::text, null::bytea, null::text, null::text,
          null::text, null::double precision, null::double precision, null::text;
        continue;
      end if;
      -- Without a condition on the status, so that the index of all pending rows does not serve. A claimed delivery is always
      -- pending. The order makes the planner use the index of the claimed ones, however many it assumes.
      select least(room, target.most - count(*)) into room
      from (
        select
        from :schema.deliveries d
        where d.workspace = owner and d.subscription_id = target.id and d.token is not null
          and d.lease_until > clock_timestamp()
        order by d.id
        limit target.most
      ) running;
    end if;
    if room <= 0 then
      continue;
    end if;

    return query
    with claimed as (
      update :schema.deliveries d
      set token = claim_token, holder = claim_holder,
        lease_until = clock_timestamp() + claim_lease * interval '1 millisecond'
      where d.workspace = owner and d.id = any (array(
        select due.id
        from :schema.deliveries due
        where due.workspace = owner and due.subscription_id = target.id and due.status = 'pending'
          and due.due_at <= claim_nows[i] and (due.lease_until is null or due.lease_until <= clock_timestamp())
        order by due.due_at, due.place
        limit room
        for update skip locked
      ))
      returning d.*
    )
    select 'claimed', i, c.id, c.subscription_id, c.event, c.url, c.body, c.status, array_to_json(c.attempts)::text,
      c.redelivery_of, c.due_at, c.created_at, target.record
    from claimed c
    order by c.due_at, c.place;
  end loop;
end;
$$;

-- Ends claims without an attempt: the deliveries are due as before, or cancelled if their subscriptions were deleted.
create function :schema.release_deliveries(workspaces text[], ids text[], tokens text[]) returns void
language plpgsql as $$
#variable_conflict use_column
begin
  perform from (
    select distinct w.number as workspace,
      (select d.subscription_id from :schema.deliveries d where d.workspace = w.number and d.id = given.id) as id
    from ${rowsOf('workspaces', 'ids')} as given (workspace_id, id)
      join :schema.workspaces w on w.id = given.workspace_id
    order by 1, 2
  ) target, lateral (
    select from :schema.subscriptions s where s.workspace = target.workspace and s.id = target.id for key share
  ) held;

  update :schema.deliveries d
  set (status, due_at) = (
      select case when left_over then 'cancelled' else d.status end, case when not left_over then d.due_at end
      from (
        select not exists (
          select from :schema.subscriptions s where s.workspace = d.workspace and s.id = d.subscription_id
        )
      ) as each (left_over)
    ),
    token = null, holder = null, lease_until = null
  from ${rowsOf('workspaces', 'ids', 'tokens')} as given (workspace_id, id, token)
    join :schema.workspaces w on w.id = given.workspace_id
  where d.workspace = w.number and d.id = given.id and d.token = given.token;
end;
$$;
`;
