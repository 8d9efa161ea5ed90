-- Up Migration
-- A token that followed its card to a replacement was written a second time, and the first row stayed behind as DELETED. From here on one id
-- is one row, which says for which card it stands: what is left of an id is the row of its newest card.
delete from wallet_tokens t using (
  select w.tenant_id, w.card_id, w.id,
    row_number() over (partition by w.tenant_id, w.id order by c.created_at desc, c.id desc) as place
  from wallet_tokens w join cards c on c.tenant_id = w.tenant_id and c.id = w.card_id
) d
where t.tenant_id = d.tenant_id and t.card_id = d.card_id and t.id = d.id and d.place > 1;

alter table wallet_tokens drop constraint wallet_tokens_pkey;
alter table wallet_tokens add primary key (tenant_id, id);
create index wallet_tokens_card on wallet_tokens (tenant_id, card_id);

-- Number of events: nothing was told of those that are there.
alter table wallet_tokens add column events int4 not null default 0;
alter table wallet_tokens alter column events drop default;
